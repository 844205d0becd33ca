import { decodeFailure } from "@waybill/core/serializer";
import type { TagDecoder } from "cborg";
import { setTag } from "./check-tag.js";

/** RFC 3339, which tag 0 requires. */
const instant = /^(\d{4}-\d\d-\d\d)[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

const day = /^\d{4}-\d\d-\d\d$/;

const msPerDay = 86_400_000;

/** Maximum exponent: larger than in any decimal type in use, IEEE 754's maximum is 6144. */
const maxExponent = 6176;

const text: TagDecoder = (content) => String(content());

/** The values of the tags that `checkCbor` accepts. */
export const tagValues: { [tag: number]: TagDecoder } = {
  0: (content) => toDate(String(content())),
  1: (content) => fromEpoch(Number(content())),
  2: (content) => narrow(toBigInt(content() as Uint8Array)),
  3: (content) => narrow(-1n - toBigInt(content() as Uint8Array)),
  4: (content) => toDecimal(content() as [exponent: number | bigint, mantissa: number | bigint]),
  32: text,
  33: text,
  34: text,
  35: text,
  36: text,
  37: (content) => toUuid(content() as Uint8Array),
  100: (content) => toDay(Number(content())),
  1004: (content) => checkedDay(String(content())),
  [setTag]: (content) => content(),
};

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

function fromEpoch(seconds: number): Date {
  return checked(new Date(Math.round(seconds * 1000)));
}

function checked(date: Date): Date {
  return Number.isNaN(date.getTime())
    ? refuse("value-out-of-range", "a date beyond the range of Date")
    : date;
}

function toBigInt(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${toHex(bytes)}`);
}

function toHex(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
  return hex;
}

function toUuid(bytes: Uint8Array): string {
  return toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** With its scale, as Python and Java print decimals. Source: General Decimal Arithmetic, to-scientific-string. */
function toDecimal([exponent, mantissa]: [exponent: number | bigint, mantissa: number | bigint]): string {
  const scale = Number(exponent);
  if (Math.abs(scale) > maxExponent)
    refuse("value-out-of-range", "a decimal fraction with too large an exponent");
  const sign = mantissa < 0 ? "-" : "";
  const digits = String(mantissa).replace("-", "");
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
  return checked(new Date(days * msPerDay))
    .toISOString()
    .slice(0, -14);
}

function checkedDay(value: string): string {
  return day.test(value) && isDay(value) ? value : refuse("malformed", "a date that is not RFC 3339");
}

/** Refuses dates such as February 30. */
function isDay(value: string): boolean {
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

function refuse(reason: "malformed" | "value-out-of-range", what: string): never {
  throw decodeFailure(reason, `The CBOR body has ${what}.`);
}
