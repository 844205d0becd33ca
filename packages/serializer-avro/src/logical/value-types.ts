import { type BuildOptions, FixedType } from "../avsc/internals.js";
import { isPlainObject } from "../avsc/value-kind.js";
import { ConvertingType, type UnderlyingSchema } from "./converting-type.js";

/** A `duration`: three unsigned 32-bit amounts that cannot be converted into each other. Source: Avro specification 1.12, "Duration". */
export interface AvroDuration {
  readonly months: number;
  readonly days: number;
  readonly milliseconds: number;
}

/** `decimal` on bytes or fixed: as text such as `"-12.50"`, always with the digits of its scale, so that nothing is rounded. */
export class DecimalType extends ConvertingType {
  readonly valueKind = "string";
  readonly precision: number;
  readonly scale: number;
  readonly size: number | undefined;
  readonly #limit: bigint;

  constructor(name: string, schema: UnderlyingSchema, options: BuildOptions) {
    super(name, schema, options);
    this.precision = schema.precision as number;
    this.scale = schema.scale as number;
    this.size = this.underlyingType instanceof FixedType ? this.underlyingType.size : undefined;
    this.#limit = 10n ** BigInt(this.precision);
  }

  override _fromValue(bytes: unknown): string {
    const unscaled = this.#toUnscaled(bytes as Uint8Array);
    const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(this.scale + 1, "0");
    const point = digits.length - this.scale;
    const fraction = this.scale === 0 ? "" : `.${digits.slice(point)}`;
    return `${unscaled < 0n ? "-" : ""}${digits.slice(0, point)}${fraction}`;
  }

  override _toValue(value: unknown): Uint8Array | undefined {
    const [, sign, whole, fraction = ""] =
      (typeof value === "string" && /^(-?)(\d+)(?:\.(\d+))?$/.exec(value)) || [];
    if (whole === undefined || fraction.length > this.scale) return undefined;
    if (whole.replace(/^0+/, "").length > this.precision - this.scale) return undefined;
    const magnitude = BigInt(whole + fraction.padEnd(this.scale, "0"));
    const bytes = toTwosComplement(sign === "-" ? -magnitude : magnitude);
    if (this.size === undefined) return bytes;
    if (bytes.length > this.size) return undefined;
    const padded = new Uint8Array(this.size).fill((bytes[0] ?? 0) & 0x80 ? 0xff : 0);
    padded.set(bytes, this.size - bytes.length);
    return padded;
  }

  protected override hasMeaningOf(writer: ConvertingType): boolean {
    return writer instanceof DecimalType && writer.scale === this.scale && writer.precision <= this.precision;
  }

  /** A larger scale, if the digits still fit the precision: zeros are added, nothing is rounded. */
  protected override conversionFrom(writer: ConvertingType): ((value: unknown) => unknown) | undefined {
    if (!(writer instanceof DecimalType) || writer.scale >= this.scale) return undefined;
    if (writer.precision - writer.scale > this.precision - this.scale) return undefined;
    const zeros = (writer.scale === 0 ? "." : "") + "0".repeat(this.scale - writer.scale);
    return (text) => `${text}${zeros}`;
  }

  #toUnscaled(bytes: Uint8Array): bigint {
    // Digits beyond the precision are refused before the conversion, whose time is quadratic in their number.
    const isNegative = bytes.length > 0 && ((bytes[0] ?? 0) & 0x80) !== 0;
    let start = 0;
    while (start < bytes.length - 1 && bytes[start] === (isNegative ? 0xff : 0)) start++;
    if (bytes.length === 0 || bytes.length - start > this.precision * 0.42 + 2) throw this.outOfRange();
    const magnitude = BigInt(`0x${Buffer.from(bytes.subarray(start)).toString("hex")}`);
    const unscaled = isNegative ? magnitude - (1n << BigInt(8 * (bytes.length - start))) : magnitude;
    if (unscaled >= this.#limit || unscaled <= -this.#limit) throw this.outOfRange();
    return unscaled;
  }
}

/** `uuid` on string or fixed(16): as text in the form of RFC 9562, in lower case when it was a fixed. */
export class UuidType extends ConvertingType {
  readonly valueKind = "string";

  override _fromValue(value: unknown): string {
    const text = typeof value === "string" ? value : formatUuid(value as Uint8Array);
    if (!uuidPattern.test(text)) throw this.outOfRange();
    return text;
  }

  override _toValue(value: unknown): string | Uint8Array | undefined {
    if (typeof value !== "string" || !uuidPattern.test(value)) return undefined;
    return this.underlyingType instanceof FixedType
      ? new Uint8Array(Buffer.from(value.replaceAll("-", ""), "hex"))
      : value;
  }
}

/** `duration` on fixed(12), as an {@link AvroDuration}. */
export class DurationType extends ConvertingType {
  readonly valueKind = "object";

  override _fromValue(value: unknown): AvroDuration {
    const { buffer, byteOffset, byteLength } = value as Uint8Array;
    const view = new DataView(buffer, byteOffset, byteLength);
    return {
      months: view.getUint32(0, true),
      days: view.getUint32(4, true),
      milliseconds: view.getUint32(8, true),
    };
  }

  override _toValue(value: unknown): Uint8Array | undefined {
    if (!isPlainObject(value) || Object.keys(value).length !== 3) return undefined;
    const view = new DataView(new ArrayBuffer(12));
    for (const [index, amount] of [value.months, value.days, value.milliseconds].entries()) {
      if (typeof amount !== "number" || amount !== amount >>> 0) return undefined;
      view.setUint32(4 * index, amount, true);
    }
    return new Uint8Array(view.buffer);
  }
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function formatUuid(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

// The shortest big-endian two's complement, as Java's BigInteger writes it.
function toTwosComplement(value: bigint): Uint8Array {
  let length = 1;
  while (BigInt.asIntN(8 * length, value) !== value) length++;
  const hex = BigInt.asUintN(8 * length, value)
    .toString(16)
    .padStart(2 * length, "0");
  return new Uint8Array(Buffer.from(hex, "hex"));
}
