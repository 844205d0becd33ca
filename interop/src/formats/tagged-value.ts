/**
 * A value in JSON that loses nothing, the same in both languages: bytes, instants, integers beyond ±(2^53 − 1) and fractions are tagged, maps keep
 * their order.
 */
export function tagged(value: unknown): unknown {
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString("hex") };
  if (value instanceof Date) return { $ms: value.getTime() };
  const exact = typeof value === "bigint" ? narrow(value) : value;
  if (typeof exact === "bigint") return { $int: String(exact) };
  if (typeof exact === "number") return taggedNumber(exact);
  if (Array.isArray(value)) return value.map(tagged);
  if (typeof value !== "object" || value === null) return value;
  return { $map: Object.entries(value).map(([key, item]) => [key, tagged(item)]) };
}

/** An integer as a number, where that is exact. */
export function narrow(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function taggedNumber(value: number): unknown {
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
  return { $float: hexOf(value) };
}

/** As Python's `float.hex` writes it. */
function hexOf(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const high = bits.getUint32(0);
  const exponent = (high >>> 20) & 0x7ff;
  const fraction =
    (high & 0xfffff).toString(16).padStart(5, "0") + bits.getUint32(4).toString(16).padStart(8, "0");
  const power = exponent === 0 ? -1022 : exponent - 1023;
  return `${value < 0 ? "-" : ""}0x${exponent === 0 ? 0 : 1}.${fraction}p${power < 0 ? "-" : "+"}${Math.abs(power)}`;
}
