import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";

/** The fields of a type, as far as the scan of its bytes needs them. */
export interface Fields {
  readonly typeName: string;
  readonly byNumber: ReadonlyMap<number, Field>;
  /** Whether it is the entry of a map. */
  readonly isEntry?: true;
}

/** A field, as far as the scan needs it. */
export interface Field {
  /** The allowed wire types. The library does not check the wire type, so others must be refused before. */
  readonly wireTypes: readonly number[];
  /** The fields of its message type; a function, because types can be recursive. */
  readonly nested?: () => Fields;
  readonly isText?: boolean;
  readonly isBytes?: boolean;
  /** Whether it is the key of a map's entry, which becomes a property name. */
  readonly isKey?: boolean;
  /** How scalars are packed, in a field that can hold many. */
  readonly packed?: Packing;
}

/** A fixed width in bytes, or varints. */
export type Packing = 4 | 8 | "varint";

const known = new WeakMap<DescMessage, Fields>();

/** The fields of a message's type, computed once. */
export function fieldsOf(descriptor: DescMessage): Fields {
  const cached = known.get(descriptor);
  if (cached !== undefined) return cached;
  const byNumber = new Map(descriptor.fields.map((field) => [field.number, toField(field)]));
  const fields = { typeName: descriptor.typeName, byNumber };
  known.set(descriptor, fields);
  return fields;
}

function toField(field: DescField): Field {
  switch (field.fieldKind) {
    case "message":
      return holder(field.message, field.delimitedEncoding);
    case "list":
      if (field.listKind === "message") return holder(field.message, field.delimitedEncoding);
      return list(field.listKind === "enum" ? ScalarType.INT32 : field.scalar);
    case "map":
      return mapEntries(field);
    case "enum":
      return scalar(ScalarType.INT32);
    default:
      return scalar(field.scalar);
  }
}

/** An entry is a message with the key as field 1 and the value as field 2. */
function mapEntries(field: DescField & { fieldKind: "map" }): Field {
  const value =
    field.mapKind === "message"
      ? holder(field.message, false)
      : scalar(field.mapKind === "enum" ? ScalarType.INT32 : field.scalar);
  const entry: Fields = {
    typeName: field.parent.typeName,
    byNumber: new Map([
      [1, { ...scalar(field.mapKey), isKey: true }],
      [2, value],
    ]),
    isEntry: true,
  };
  return { wireTypes: [WireType.LengthDelimited], nested: () => entry };
}

function holder(message: DescMessage, isGroup: boolean): Field {
  return {
    wireTypes: [isGroup ? WireType.StartGroup : WireType.LengthDelimited],
    nested: () => fieldsOf(message),
  };
}

function scalar(type: ScalarType): Field {
  if (type === ScalarType.STRING) return { wireTypes: [WireType.LengthDelimited], isText: true };
  if (type === ScalarType.BYTES) return { wireTypes: [WireType.LengthDelimited], isBytes: true };
  const packing = packingOf(type);
  return {
    wireTypes: [packing === "varint" ? WireType.Varint : packing === 8 ? WireType.Bit64 : WireType.Bit32],
  };
}

/** Strings and bytes are never packed; readers accept other scalars packed and unpacked. Source: protobuf.dev, Encoding, packed repeated fields. */
function list(type: ScalarType): Field {
  const single = scalar(type);
  if (type === ScalarType.STRING || type === ScalarType.BYTES) return single;
  return { wireTypes: [...single.wireTypes, WireType.LengthDelimited], packed: packingOf(type) };
}

function packingOf(type: ScalarType): Packing {
  switch (type) {
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return 8;
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return 4;
    default:
      return "varint";
  }
}
