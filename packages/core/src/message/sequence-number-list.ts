import { isObject } from "@waybill/foundation";
/** One sequence number or several, as a list. Throws `TypeError` unless all are bigints, because a number may have lost precision. */
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

/** Names the kind of the value, and how to convert a `Long` of `@azure/service-bus`. */
function kindOf(value: unknown): string {
  const isLong = isObject(value) && "low" in value && "high" in value;
  return isLong ? "a Long, which BigInt(long.toString()) turns into one" : typeof value;
}
