import { type DateTime, parseDateTime, toDate, toIsoText } from "../binary-xml/date-time.js";
import { Records } from "../binary-xml/records.js";
import { exact, type TextRecord, type TextValue, xmlText } from "../binary-xml/text-record.js";
import type { LeafType } from "./contract-type.js";

/** The form of instants. */
export type DateForm = "date" | "iso";

/** Returned for text that does not fit its type. */
export const misfit = Symbol("misfit");

/** The integer types. */
export const integerTypes = Object.freeze({
  byte: { bits: 8, isSigned: true },
  unsignedByte: { bits: 8, isSigned: false },
  short: { bits: 16, isSigned: true },
  unsignedShort: { bits: 16, isSigned: false },
  int: { bits: 32, isSigned: true },
  unsignedInt: { bits: 32, isSigned: false },
  long: { bits: 64, isSigned: true },
  unsignedLong: { bits: 64, isSigned: false },
});

/** Whether a type can hold an integer. */
export function holdsInteger(type: keyof typeof integerTypes, integer: bigint): boolean {
  const { bits, isSigned } = integerTypes[type];
  return (isSigned ? BigInt.asIntN(bits, integer) : BigInt.asUintN(bits, integer)) === integer;
}

const decimalForm = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;
const doubleForm = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The value of text records whose type is known; {@link misfit} when they do not fit it. */
export function typedValue(type: LeafType, texts: readonly TextRecord[], dates: DateForm): unknown {
  switch (type) {
    case "boolean":
      return toBoolean(texts);
    case "float":
    case "double":
      return toDouble(texts);
    case "decimal":
      return decimalForm.test(joined(texts)) ? joined(texts) : misfit;
    case "dateTime":
      return toInstant(texts, dates);
    case "base64Binary":
      return toBytes(texts);
    case "char":
      return toChar(texts);
    case "guid":
      return joined(texts).toLowerCase();
    case "anyType":
      return texts.length === 0 ? {} : recordValue(texts, dates);
    case "string":
    case "anyURI":
    case "duration":
    case "QName":
      return joined(texts);
    default:
      return toInteger(type, texts);
  }
}

/** The value of text records without a known type. There is at least one. */
export function recordValue(texts: readonly TextRecord[], dates: DateForm): unknown {
  const [first] = texts;
  if (first !== undefined && texts.length === 1) return singleValue(first, dates);
  return texts.every(({ value }) => value instanceof Uint8Array) ? toBytes(texts) : joined(texts);
}

/** The value of a single text record. */
export function singleValue(text: TextRecord, dates: DateForm): unknown {
  const { record, value } = text;
  if (record === Records.dateTime) return instant(value as DateTime, dates);
  return Array.isArray(value) ? xmlText(text) : value;
}

function instant(dateTime: DateTime, dates: DateForm): Date | string {
  return dates === "iso" ? toIsoText(dateTime) : toDate(dateTime);
}

function joined(texts: readonly TextRecord[]): string {
  const [first] = texts;
  return first !== undefined && texts.length === 1 ? xmlText(first) : texts.map(xmlText).join("");
}

function only(texts: readonly TextRecord[]): TextValue | undefined {
  return texts.length === 1 ? texts[0]?.value : undefined;
}

function toBoolean(texts: readonly TextRecord[]): unknown {
  const value = only(texts);
  if (typeof value === "boolean") return value;
  const text = joined(texts).trim();
  if (text === "true" || text === "1") return true;
  return text === "false" || text === "0" ? false : misfit;
}

function toInteger(type: keyof typeof integerTypes, texts: readonly TextRecord[]): unknown {
  const value = only(texts);
  let integer: bigint;
  if (typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value)))
    integer = BigInt(value);
  else {
    const text = joined(texts).trim();
    if (!/^[+-]?\d{1,40}$/.test(text)) return misfit;
    integer = BigInt(text.replace("+", ""));
  }
  return holdsInteger(type, integer) ? exact(integer) : misfit;
}

function toDouble(texts: readonly TextRecord[]): unknown {
  const value = only(texts);
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  const text = joined(texts).trim();
  if (text === "NaN") return Number.NaN;
  if (text === "INF") return Number.POSITIVE_INFINITY;
  if (text === "-INF") return Number.NEGATIVE_INFINITY;
  return doubleForm.test(text) ? Number(text) : misfit;
}

function toInstant(texts: readonly TextRecord[], dates: DateForm): unknown {
  const [first] = texts;
  if (first?.record === Records.dateTime && texts.length === 1)
    return instant(first.value as DateTime, dates);
  const parsed = parseDateTime(joined(texts));
  return parsed === undefined ? misfit : instant(parsed, dates);
}

function toBytes(texts: readonly TextRecord[]): unknown {
  const value = only(texts);
  if (value instanceof Uint8Array) return value;
  const parts: Uint8Array[] = [];
  for (const { value } of texts) {
    const part =
      value instanceof Uint8Array ? value : typeof value === "string" ? fromBase64(value) : undefined;
    if (part === undefined) return misfit;
    parts.push(part);
  }
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

function fromBase64(text: string): Uint8Array | undefined {
  const compact = text.replace(/[ \t\r\n]/g, "");
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) return undefined;
  return Uint8Array.from(atob(compact), (char) => char.charCodeAt(0));
}

/** A `char` is sent as the number of its UTF-16 unit. */
function toChar(texts: readonly TextRecord[]): unknown {
  const unit = toInteger("unsignedShort", texts);
  return typeof unit === "number" ? String.fromCharCode(unit) : misfit;
}
