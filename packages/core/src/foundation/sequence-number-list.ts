/** One sequence number or several, as a list. Throws `TypeError` for what is not a bigint: a number would name no message, or another one. */
export function sequenceNumberList(sequenceNumbers: bigint | readonly bigint[]): readonly bigint[] {
  const numbers = Array.isArray(sequenceNumbers)
    ? (sequenceNumbers as readonly bigint[])
    : [sequenceNumbers as bigint];
  for (const number of numbers) {
    if (typeof number !== "bigint")
      throw new TypeError(`A sequence number must be a bigint; got ${kindOf(number)}.`);
  }
  return numbers;
}

/** Names what was given, and how a number of `@azure/service-bus` becomes a bigint. */
function kindOf(value: unknown): string {
  const isLong = typeof value === "object" && value !== null && "low" in value && "high" in value;
  return isLong ? "a Long, which BigInt(long.toString()) turns into one" : typeof value;
}
