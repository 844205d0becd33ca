import {
  isJsonObject,
  type ProtobufField,
  type ProtobufMessage,
  wrappedField,
} from "../structure/protobuf-type.js";
import {
  byteStrings,
  doubles,
  floats,
  integers,
  ofEntries,
  ofItems,
  ofMembers,
  texts,
  type Variations,
} from "./variations.js";

/** How often a recursive type is nested. */
const maxNesting = 3;

/** Values of a Protobuf type, the smallest first, as objects that protobuf-es takes. Fields that may be absent are undefined in the smallest. */
export function protobufValues(message: ProtobufMessage): Variations {
  return valuesOf(message, new Map());
}

function valuesOf(message: ProtobufMessage, nesting: ReadonlyMap<ProtobufMessage, number>): Variations {
  const depth = (nesting.get(message) ?? 0) + 1;
  if (depth > maxNesting) return [];
  const inner = new Map([...nesting, [message, depth]]);
  const members: Record<string, Variations> = {};
  for (const field of message.fields.values()) {
    if (field.oneof === undefined) members[localName(field.name)] = fieldValues(field, inner);
    else {
      const choices = singleValues(field, inner).map((value) => ({ case: localName(field.name), value }));
      const oneof = localName(field.oneof);
      members[oneof] = [...(members[oneof] ?? [undefined]), ...choices];
    }
  }
  // Undefined members are absent.
  return ofMembers(members).map((value) =>
    Object.fromEntries(Object.entries(value as object).filter(([, member]) => member !== undefined)),
  );
}

function fieldValues(field: ProtobufField, nesting: ReadonlyMap<ProtobufMessage, number>): Variations {
  if (field.isMap) return mapValues(field, nesting);
  const single = singleValues(field, nesting);
  if (field.isRepeated) return ofItems(single);
  return field.isRequired ? single : [undefined, ...single];
}

function mapValues({ message }: ProtobufField, nesting: ReadonlyMap<ProtobufMessage, number>): Variations {
  const [key, value] = [message?.fields.get(1), message?.fields.get(2)];
  if (key === undefined || value === undefined) return [{}];
  if (key.type === "string") return ofEntries(singleValues(value, nesting));
  const name = key.type === "bool" ? "true" : "1";
  return [{}, ...singleValues(value, nesting).map((each) => ({ [name]: each }))];
}

function singleValues(field: ProtobufField, nesting: ReadonlyMap<ProtobufMessage, number>): Variations {
  switch (field.type) {
    case "double":
      return doubles;
    case "float":
      return floats;
    case "int32":
    case "sint32":
    case "sfixed32":
      return integers(32, true).map(Number);
    case "uint32":
    case "fixed32":
      return integers(32, false).map(Number);
    case "int64":
    case "sint64":
    case "sfixed64":
      return longs(field, true);
    case "uint64":
    case "fixed64":
      return longs(field, false);
    case "bool":
      return [false, true];
    case "string":
      return texts;
    case "bytes":
      return byteStrings;
    case "enum":
      return field.values?.numbers ?? [0];
    default:
      return messageValues(field, nesting);
  }
}

function longs({ isLongText }: ProtobufField, isSigned: boolean): Variations {
  const values = integers(64, isSigned);
  return isLongText ? values.map(String) : values;
}

function messageValues(field: ProtobufField, nesting: ReadonlyMap<ProtobufMessage, number>): Variations {
  if (isJsonObject(field)) return [{}, { key: null }, { key: [1.5, "a"], other: true }];
  const wrapped = wrappedField(field);
  if (wrapped !== undefined) return singleValues(wrapped, nesting);
  return field.message === undefined ? [] : valuesOf(field.message, nesting);
}

/** The name of a field in protobuf-es: lower camel case. */
export function localName(name: string): string {
  const camel = name.replace(/_+([a-z0-9])?/gi, (_, next: string | undefined) => next?.toUpperCase() ?? "");
  return /^(?:constructor|toString|toJSON|valueOf)$/.test(camel) ? `${camel}$` : camel;
}
