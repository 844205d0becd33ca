import { decodeFailure } from "@waybill/core/serializer";
import { hex } from "@waybill/foundation";
import { byteArrayTag } from "./check-tag.js";

/** RFC 3339, which tag 0 requires. */
const instant = /^(\d{4}-(?:0[1-9]|1[0-2])-\d\d)[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

const day = /^\d{4}-(?:0[1-9]|1[0-2])-\d\d$/;

const msPerDay = 86_400_000;

/** Maximum exponent: larger than in any decimal type in use, IEEE 754's maximum is 6144. */
const maxExponent = 6176;

/** The tag of decimal fractions, whose content is two items. */
export const decimalTag = 4;

/** The values of the other tags that `checkCbor` accepts, given the item after the tag. */
export const tagValues: { readonly [tag: number]: (content: unknown) => unknown } = {
  0: (content) => toDate(content as string),
  1: (content) => fromEpoch(Number(content)),
  2: (content) => narrow(toBigInt(content as Uint8Array)),
  3: (content) => narrow(-1n - toBigInt(content as Uint8Array)),
  32: unchanged,
  33: unchanged,
  34: unchanged,
  35: unchanged,
  36: unchanged,
  37: (content) => toUuid(content as Uint8Array),
  [byteArrayTag]: unchanged,
  100: (content) => toDay(Number(content)),
  1004: (content) => checkedDay(content as string),
};

function unchanged(content: unknown): unknown {
  return content;
}

/** A number if it is exact, like every integer. Java's Jackson tags small ones, too. */
function narrow(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function toDate(value: string): Date {
  const date = instant.exec(value)?.[1];
  if (date === undefined || !isDay(date)) return refuse("malformed", "a date that is not RFC 3339");
  return checked(new Date(value.toUpperCase()));
}

/**
 * Fractions of a millisecond are dropped, towards the past; seconds that are the nearest double to whole milliseconds have none. The fraction of
 * seconds just before a whole one may round up to 1.
 */
function fromEpoch(seconds: number): Date {
  const nearest = Math.round(seconds * 1000);
  const whole = Math.floor(seconds);
  return checked(
    new Date(
      nearest / 1000 === seconds
        ? nearest
        : whole * 1000 + Math.min(999, Math.floor((seconds - whole) * 1000)),
    ),
  );
}

function checked(date: Date): Date {
  return Number.isNaN(date.getTime())
    ? refuse("value-out-of-range", "a date beyond the range of Date")
    : date;
}

function toBigInt(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${hex(bytes)}`);
}

function toUuid(bytes: Uint8Array): string {
  const digits = hex(bytes);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
}

/** With its scale, as Python and Java print decimals. Source: General Decimal Arithmetic, to-scientific-string. */
export function toDecimal(exponent: number | bigint, mantissa: number | bigint): string {
  const scale = Number(exponent);
  if (Math.abs(scale) > maxExponent)
    refuse("value-out-of-range", "a decimal fraction with too large an exponent");
  const sign = mantissa < 0 ? "-" : "";
  const digits = String(mantissa < 0 ? -mantissa : mantissa);
  const adjusted = scale + digits.length - 1;
  if (scale <= 0 && adjusted >= -6) {
    if (scale === 0) return sign + digits;
    const padded = digits.padStart(1 - scale, "0");
    return `${sign}${padded.slice(0, scale)}.${padded.slice(scale)}`;
  }
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
  return `${sign}${digits[0]}${fraction}E${adjusted < 0 ? "" : "+"}${adjusted}`;
}

function toDay(days: number): string {
  const date = checked(new Date(days * msPerDay));
  const year = date.getUTCFullYear();
  // Several times as fast as `toISOString`, which the other years need for their sign.
  if (year >= 1000 && year <= 9999)
    return `${year}-${twoDigits(date.getUTCMonth() + 1)}-${twoDigits(date.getUTCDate())}`;
  return date.toISOString().slice(0, -14);
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

function checkedDay(value: string): string {
  return day.test(value) && isDay(value) ? value : refuse("malformed", "a date that is not RFC 3339");
}

/** Refuses dates such as February 30. */
function isDay(value: string): boolean {
  const isInEveryMonth = value >= `${value.slice(0, 8)}01` && value <= `${value.slice(0, 8)}28`;
  if (isInEveryMonth) return true;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

function refuse(reason: "malformed" | "value-out-of-range", what: string): never {
  throw decodeFailure(reason, `The CBOR body has ${what}.`);
}
