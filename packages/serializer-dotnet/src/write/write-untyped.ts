import { encodeFailure } from "@waybill/core/serializer";
import { fromDate } from "../binary-xml/date-time.js";
import { Namespaces } from "../binary-xml/namespaces.js";
import { ElementWriter, type WrittenDocument } from "./element-writer.js";
import { PlainRecord } from "./plain-value.js";

/** The names of a `Dictionary<string, object>` and its entries, and of a list of objects. */
const dictionary = "ArrayOfKeyValueOfstringanyType";
const entry = "KeyValueOfstringanyType";
const list = "ArrayOfanyType";
const item = "anyType";

/**
 * Writes a value without a contract: a string, number, boolean, `Date` or bytes as that .NET primitive, an object as a
 * `Dictionary<string, object>`, an array as a list of objects, each value with its `i:type`.
 */
export function writeUntyped(value: unknown): WrittenDocument {
  const writer = new ElementWriter();
  if (value === null) throw encodeFailure("The body cannot be written as .NET binary XML: null has no type.");
  if (value instanceof PlainRecord || Array.isArray(value)) {
    writer.start("", value instanceof PlainRecord ? dictionary : list);
    writer.declare("", Namespaces.arrays);
    writer.declare("i", Namespaces.instance);
    writeContent(writer, value);
  } else {
    writer.start("", primitiveOf(value));
    writer.declare("", Namespaces.serialization);
    writePrimitive(writer, value);
  }
  return writer.finish();
}

/** The content of an element of objects, and its end. */
function writeContent(writer: ElementWriter, value: PlainRecord | readonly unknown[]): void {
  if (value instanceof PlainRecord) {
    for (const [key, content] of value.entries) {
      writer.start("", entry);
      writer.start("", "Key");
      writer.text(key);
      writeItem(writer, "Value", content);
      writer.end();
    }
  } else for (const content of value) writeItem(writer, item, content);
  writer.end();
}

/** An element whose type is `object`, with the type that its value has. */
function writeItem(writer: ElementWriter, name: string, value: unknown): void {
  writer.start("", name);
  if (value === null) {
    writer.instanceAttribute("nil", true);
    writer.end();
  } else if (value instanceof PlainRecord || Array.isArray(value)) {
    writer.instanceAttribute("type", value instanceof PlainRecord ? dictionary : list);
    writeContent(writer, value);
  } else {
    writer.instanceAttribute("type", `a:${primitiveOf(value)}`);
    writer.declare("a", Namespaces.schema);
    writePrimitive(writer, value);
  }
}

/** Names of primitives in both Microsoft's and XML Schema's namespaces. */
function primitiveOf(value: unknown): string {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    case "bigint":
      return value > 2n ** 63n - 1n ? "unsignedLong" : "long";
    case "number":
      if (!Number.isSafeInteger(value)) return "double";
      return value >= -(2 ** 31) && value < 2 ** 31 ? "int" : "long";
    default:
      return value instanceof Date ? "dateTime" : "base64Binary";
  }
}

function writePrimitive(writer: ElementWriter, value: unknown): void {
  if (typeof value === "string") writer.text(value);
  else if (typeof value === "boolean") writer.boolean(value);
  else if (typeof value === "bigint") writeBigInt(writer, value);
  else if (typeof value === "number") {
    if (Number.isSafeInteger(value)) writer.integer(value);
    else writer.double(value);
  } else if (value instanceof Date) writeDate(writer, value);
  else writer.binary(value as Uint8Array);
}

function writeBigInt(writer: ElementWriter, value: bigint): void {
  if (value < -(2n ** 63n) || value > 2n ** 64n - 1n) {
    throw encodeFailure("The body cannot be written as .NET binary XML: a bigint is beyond 64 bits.");
  }
  // .NET writes unsigned 64-bit numbers as text.
  if (value > 2n ** 63n - 1n) writer.text(String(value));
  else writer.integer(value);
}

/** Writes an instant as a UTC DateTime. */
export function writeDate(writer: ElementWriter, date: Date): void {
  const bits = fromDate(date);
  if (bits === undefined) {
    throw encodeFailure(
      "The body cannot be written as .NET binary XML: a date is outside the years 1 to 9999.",
    );
  }
  writer.dateTime(bits);
}
