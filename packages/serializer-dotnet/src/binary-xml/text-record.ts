import { base64, byteDigits } from "@waybill/foundation";
import type { ByteCursor } from "./byte-cursor.js";
import { type DateTime, toDateTime, toIsoText } from "./date-time.js";
import { decimalText, doubleText, floatText, timeSpanText } from "./number-text.js";
import { isDictionaryRecord, Records } from "./records.js";

/** A text record: its even record type, and its value in JavaScript's closest form. */
export interface TextRecord {
  readonly record: number;
  readonly value: TextValue;
}

/** The value of a text record. Numbers beyond ±(2^53 − 1) are `bigint`; a list has its items. */
export type TextValue = string | number | bigint | boolean | Uint8Array | DateTime | readonly TextRecord[];

/** Reads the payload of a text record, whose type must be even. */
export function readTextValue(cursor: ByteCursor, record: number): TextValue {
  switch (record) {
    case Records.zero:
      return 0;
    case Records.one:
      return 1;
    case Records.false:
      return false;
    case Records.true:
      return true;
    case Records.int8:
      return cursor.int8();
    case Records.int16:
      return cursor.int16();
    case Records.int32:
      return cursor.int32();
    case Records.int64:
      return exact(cursor.int64());
    case Records.uint64:
      return exact(cursor.uint64());
    case Records.float:
      return cursor.float32();
    case Records.double:
      return cursor.float64();
    case Records.bool:
      return cursor.uint8() !== 0;
    case Records.chars8:
      return cursor.text(cursor.uint8());
    case Records.chars16:
      return cursor.text(cursor.uint16());
    case Records.chars32:
      return cursor.text(cursor.length32());
    case Records.unicodeChars8:
      return cursor.utf16Text(cursor.uint8());
    case Records.unicodeChars16:
      return cursor.utf16Text(cursor.uint16());
    case Records.unicodeChars32:
      return cursor.utf16Text(cursor.length32());
    case Records.bytes8:
      return cursor.copy(cursor.uint8());
    case Records.bytes16:
      return cursor.copy(cursor.uint16());
    case Records.bytes32:
      return cursor.copy(cursor.length32());
    case Records.empty:
      return "";
    case Records.decimal:
      return readDecimal(cursor);
    case Records.dateTime:
      return readDateTime(cursor);
    case Records.timeSpan:
      return timeSpanText(cursor.int64());
    case Records.uuid:
      return readGuid(cursor);
    case Records.uniqueId:
      return `urn:uuid:${readGuid(cursor)}`;
    case Records.startList:
      return readList(cursor);
    default:
      return refuseRecord(cursor, record);
  }
}

/** The XML text of a record, for attributes and mixed content. */
export function xmlText({ record, value }: TextRecord): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") {
    if (record === Records.float) return floatText(value);
    return record === Records.double ? doubleText(value) : String(value);
  }
  if (typeof value === "bigint" || typeof value === "boolean") return String(value);
  if (value instanceof Uint8Array) return base64(value);
  return isList(value) ? value.map(xmlText).join(" ") : toIsoText(value);
}

function isList(value: DateTime | readonly TextRecord[]): value is readonly TextRecord[] {
  return Array.isArray(value);
}

/** A number if it is exact. */
export function exact(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function readDecimal(cursor: ByteCursor): string {
  const start = cursor.offset;
  const reserved = cursor.uint16();
  const scale = cursor.uint8();
  const sign = cursor.uint8();
  if (reserved !== 0 || scale > 28 || (sign !== 0 && sign !== 0x80)) {
    cursor.fail("value-out-of-range", "a Decimal with an invalid scale or sign", start);
  }
  const high = cursor.uint32();
  const low = cursor.uint32();
  return decimalText(sign !== 0, scale, high, cursor.uint32(), low);
}

function readDateTime(cursor: ByteCursor): DateTime {
  const start = cursor.offset;
  return (
    toDateTime(cursor.uint64()) ?? cursor.fail("value-out-of-range", "a DateTime beyond the year 9999", start)
  );
}

/** The first three fields are little-endian. */
function readGuid(cursor: ByteCursor): string {
  const start = cursor.take(16);
  const hex = (offset: number) => byteDigits[cursor.bytes[start + offset] as number] as string;
  const head = `${hex(3)}${hex(2)}${hex(1)}${hex(0)}-${hex(5)}${hex(4)}-${hex(7)}${hex(6)}`;
  return `${head}-${hex(8)}${hex(9)}-${hex(10)}${hex(11)}${hex(12)}${hex(13)}${hex(14)}${hex(15)}`;
}

/** The items of a list: even records, none of them a list. Source: [MC-NBFX] 2.2.3.31. */
function readList(cursor: ByteCursor): TextRecord[] {
  const items: TextRecord[] = [];
  for (;;) {
    const start = cursor.offset;
    const record = cursor.uint8();
    if (record === Records.endList) return items;
    if (record < Records.zero || record % 2 === 1 || record === Records.startList) {
      cursor.fail("malformed", "a record that a list must not hold", start);
    }
    cursor.count(1);
    items.push({ record, value: readTextValue(cursor, record) });
  }
}

/** WCF's own messages refer to string tables that both sides know; bodies of a `BrokeredMessage` never do. */
export function refuseRecord(cursor: ByteCursor, record: number, why = ""): never {
  const isReference = isDictionaryRecord(record);
  return cursor.fail(
    isReference ? "type-forbidden" : "malformed",
    isReference
      ? "a reference to a string table, as in WCF's own messages, which bodies of a BrokeredMessage never have"
      : `the record type 0x${byteDigits[record]}${why}`,
    cursor.offset - 1,
  );
}
