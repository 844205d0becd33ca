import { unwritableKind } from "@waybill/core/serializer";
import { type AvscType, LogicalType } from "./internals.js";

/** The kinds by which JavaScript values can be distinguished; if two branches of a union share a kind, values are wrapped. */
export type ValueKind = "null" | "boolean" | "number" | "string" | "bytes" | "array" | "date" | "object";

/** The kind of a value, or undefined if no Avro type can hold it. */
export function valueKind(value: unknown): ValueKind | undefined {
  switch (typeof value) {
    case "string":
    case "number":
    case "boolean":
      return typeof value as ValueKind;
    case "bigint":
      return "number";
    case "object":
      if (value === null) return "null";
      if (Array.isArray(value)) return "array";
      if (value instanceof Uint8Array) return "bytes";
      return value instanceof Date ? "date" : "object";
    default:
      return undefined;
  }
}

/** The kind of the values of a type. A union has none: unions do not nest. */
export function kindOfType(type: AvscType): ValueKind {
  if (type instanceof LogicalType) return (type as unknown as { readonly valueKind: ValueKind }).valueKind;
  switch (type.typeName) {
    case "null":
    case "boolean":
    case "string":
    case "bytes":
    case "array":
      return type.typeName;
    case "enum":
      return "string";
    case "fixed":
      return "bytes";
    case "map":
    case "record":
      return "object";
    default:
      return "number";
  }
}

/** Whether a value is an object literal or the like, not an instance of a class such as `Map`. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype && Object.getPrototypeOf(prototype) !== null)
    return false;
  return !(Symbol.toStringTag in value) || unwritableKind(value) === undefined;
}

/** Whether an object may hold the fields of a record: one of the application's, not a `Map`, `Promise` or `Date`, which has none of them. */
export function mayBeRecord(value: object): boolean {
  return !(value instanceof Date) && unwritableKind(value) === undefined;
}
