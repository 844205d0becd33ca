/** One sequence number or several, as a list. Throws `TypeError` for what is no bigint: a number would name no message, or another one. */
export function sequenceNumberList(sequenceNumbers: bigint | readonly bigint[]): readonly bigint[] {
  const numbers = Array.isArray(sequenceNumbers)
    ? (sequenceNumbers as readonly bigint[])
    : [sequenceNumbers as bigint];
  for (const number of numbers) {
    if (typeof number !== "bigint")
      throw new TypeError(`A sequence number must be a bigint; got ${typeof number}.`);
  }
  return numbers;
}
