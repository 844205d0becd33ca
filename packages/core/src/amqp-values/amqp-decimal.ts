/** The encoding of a decimal type of IEEE 754: size in bytes, bits of exponent and coefficient, bias, digits. */
interface DecimalKind {
  readonly size: number;
  readonly exponentBits: bigint;
  readonly coefficientBits: bigint;
  readonly bias: number;
  readonly digits: bigint;
}

const kinds: Readonly<Record<string, DecimalKind>> = Object.freeze({
  decimal32: { size: 4, exponentBits: 8n, coefficientBits: 23n, bias: 101, digits: 7n },
  decimal64: { size: 8, exponentBits: 10n, coefficientBits: 53n, bias: 398, digits: 16n },
  decimal128: { size: 16, exponentBits: 14n, coefficientBits: 113n, bias: 6176, digits: 34n },
});

/**
 * An AMQP decimal as text with its scale, such as `"129.95"`; undefined if the bytes are not of that type. Source: AMQP 1.0, 1.6.13–15;
 * IEEE 754-2008, binary integer decimal encoding; General Decimal Arithmetic, to-scientific-string.
 */
export function amqpDecimal(type: string, bytes: Uint8Array): string | undefined {
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (kind === undefined || bytes.length !== kind.size) return undefined;
  let bits = 0n;
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte);
  const width = BigInt(kind.size * 8);
  const sign = bits >> (width - 1n) === 1n ? "-" : "";
  const top = (bits >> (width - 6n)) & 0b11111n;
  if (top === 0b11111n) return "NaN";
  if (top === 0b11110n) return `${sign}Infinity`;
  const { coefficient, exponent } = partsOf(bits, kind, top >> 3n === 0b11n);
  return sign + toText(coefficient, exponent);
}

/** In the long form, the first three bits of the coefficient are implied; a coefficient with too many digits is zero. */
function partsOf(
  bits: bigint,
  { exponentBits, coefficientBits, bias, digits }: DecimalKind,
  isLong: boolean,
) {
  const coefficientWidth = isLong ? coefficientBits - 2n : coefficientBits;
  const rest = bits & ((1n << coefficientWidth) - 1n);
  const coefficient = isLong ? (0b100n << coefficientWidth) | rest : rest;
  const exponent = Number((bits >> coefficientWidth) & ((1n << exponentBits) - 1n)) - bias;
  return { coefficient: coefficient < 10n ** digits ? coefficient : 0n, exponent };
}

function toText(coefficient: bigint, exponent: number): string {
  const digits = String(coefficient);
  const adjusted = exponent + digits.length - 1;
  if (exponent <= 0 && adjusted >= -6) {
    if (exponent === 0) return digits;
    const padded = digits.padStart(1 - exponent, "0");
    return `${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
  }
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
  return `${digits.slice(0, 1)}${fraction}E${adjusted < 0 ? "" : "+"}${adjusted}`;
}
