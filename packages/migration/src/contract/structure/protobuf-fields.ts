import { breaks, notDecided, type Obstacle } from "./obstacle.js";
import type { ProtobufField, ProtobufMessage } from "./protobuf-type.js";

/** How the reader finds the type, and what it does with fields that it does not know. */
export interface ProtobufReading {
  readonly unknownFields: "keep" | "refuse";
  /** Whether a function of its own finds the type, whatever name the message has. */
  readonly typeOf: boolean;
}

/** What a type is read as without loss, besides itself. Source: protobuf.dev, Language Guide (proto 3), "Updating A Message Type". */
const lossless: Readonly<Record<string, readonly string[]>> = {
  int32: ["int64"],
  uint32: ["uint64", "int64"],
  bool: ["int32", "uint32", "int64", "uint64"],
  enum: ["int32", "int64"],
  sint32: ["sint64"],
  string: ["bytes"],
  message: ["bytes"],
};

/** Types of one form on the wire: some values are read as others. */
const sameForm: readonly ReadonlySet<string>[] = [
  new Set(["int32", "uint32", "int64", "uint64", "bool", "enum"]),
  new Set(["sint32", "sint64"]),
  new Set(["fixed32", "sfixed32"]),
  new Set(["fixed64", "sfixed64"]),
];

/** Why a reader with one type does not read every value of another. Recursive types are compared once per pair. */
export function protobufObstacles(
  writer: ProtobufMessage,
  reader: ProtobufMessage,
  reading: ProtobufReading,
): readonly Obstacle[] {
  const named =
    writer.name === reader.name || reading.typeOf
      ? []
      : [
          breaks(
            "",
            `the content type names the Protobuf type ${writer.name}, and the reader has ${reader.name}`,
          ),
        ];
  return [...named, ...new Comparison(reading).compare(writer, reader, "")];
}

class Comparison {
  readonly #reading: ProtobufReading;
  readonly #compared = new Map<ProtobufMessage, Set<ProtobufMessage>>();

  constructor(reading: ProtobufReading) {
    this.#reading = reading;
  }

  compare(writer: ProtobufMessage, reader: ProtobufMessage, path: string): readonly Obstacle[] {
    const compared = this.#compared.get(writer) ?? new Set();
    this.#compared.set(writer, compared);
    if (compared.has(reader)) return [];
    compared.add(reader);
    const at = (name: string) => (path === "" ? name : `${path}.${name}`);
    return [
      ...[...writer.fields.values()].flatMap((field) => this.#written(field, writer, reader, at(field.name))),
      ...[...reader.fields.values()].flatMap((field) => onlyRead(field, writer, at(field.name))),
      ...togetherInOneof(writer, reader, path),
    ];
  }

  #written(
    field: ProtobufField,
    writer: ProtobufMessage,
    reader: ProtobufMessage,
    path: string,
  ): readonly Obstacle[] {
    const moved = fieldNamed(reader, field.name);
    if (moved !== undefined && moved.number !== field.number)
      return [
        breaks(path, `the writer has it as number ${field.number}, and the reader as number ${moved.number}`),
      ];
    const read = reader.fields.get(field.number);
    if (read !== undefined) return this.#compareField(field, read, path);
    if (this.#reading.unknownFields === "refuse")
      return [breaks(path, `the reader has no field ${field.number}, and refuses unknown fields`)];
    const isChoice = field.oneof !== undefined && hasOtherMembers(field, writer, reader);
    return isChoice
      ? [breaks(path, `the reader's oneof has no field ${field.number}: it sees no choice at all`)]
      : [];
  }

  #compareField(writer: ProtobufField, reader: ProtobufField, path: string): readonly Obstacle[] {
    return [...compareLabels(writer, reader, path), ...this.#compareTypes(writer, reader, path)];
  }

  #compareTypes(writer: ProtobufField, reader: ProtobufField, path: string): readonly Obstacle[] {
    if (writer.message !== undefined && reader.message !== undefined && writer.type === reader.type) {
      if (writer.isMap !== reader.isMap)
        return [notDecided(path, "a map and a list of its entries are alike only on the wire")];
      return this.compare(writer.message, reader.message, writer.isMap ? `${path}{}` : path);
    }
    if (writer.type === reader.type) return writer.type === "enum" ? compareEnums(writer, reader, path) : [];
    if (lossless[writer.type]?.includes(reader.type) === true) return [];
    const text = `${writer.type} is not read as ${reader.type}`;
    const isSameForm = sameForm.some((types) => types.has(writer.type) && types.has(reader.type));
    if (isSameForm && !(reader.type === "enum" && reader.values?.isClosed === true))
      return [notDecided(path, `${text} without change: values beyond its range become others`)];
    return [breaks(path, text)];
  }
}

/** The field of a name, which decides where an application finds a value. */
export function fieldNamed({ fields }: ProtobufMessage, wanted: string): ProtobufField | undefined {
  return [...fields.values()].find(({ name }) => name === wanted);
}

function compareLabels(writer: ProtobufField, reader: ProtobufField, path: string): readonly Obstacle[] {
  const found: Obstacle[] = [];
  if (writer.isRepeated && !reader.isRepeated)
    found.push(breaks(path, "a list is not read as a single value"));
  if (reader.isRequired && !writer.isRequired)
    found.push(breaks(path, "the reader requires it, and the writer does not"));
  if (writer.default !== reader.default)
    found.push(
      breaks(
        path,
        `where it is absent, the writer means ${writer.default ?? "its zero value"}, and the reader ${reader.default ?? "its zero value"}`,
      ),
    );
  return found;
}

function compareEnums(writer: ProtobufField, reader: ProtobufField, path: string): readonly Obstacle[] {
  const known = new Set(reader.values?.numbers);
  const unknown = (writer.values?.numbers ?? []).filter((number) => !known.has(number));
  if (unknown.length === 0 || reader.values?.isClosed !== true) return [];
  return [breaks(path, `the reader's enum is closed and lacks the value ${unknown[0]}`)];
}

function onlyRead(field: ProtobufField, writer: ProtobufMessage, path: string): readonly Obstacle[] {
  const { number } = field;
  if (writer.fields.has(number)) return [];
  if (field.isRequired) return [breaks(path, "the reader requires it, and the writer has no such field")];
  const wasReserved = writer.reserved.some(({ start, end }) => start <= number && number < end);
  return wasReserved
    ? [
        notDecided(
          path,
          `the writer has reserved the number ${number}: older messages may have another field there`,
        ),
      ]
    : [];
}

/** Fields that the writer can set together are lost but one where the reader has them in one oneof. */
function togetherInOneof(
  writer: ProtobufMessage,
  reader: ProtobufMessage,
  path: string,
): readonly Obstacle[] {
  const groups = new Map<string, ProtobufField[]>();
  for (const field of reader.fields.values())
    if (field.oneof !== undefined && writer.fields.has(field.number))
      groups.set(field.oneof, [...(groups.get(field.oneof) ?? []), field]);
  return [...groups].flatMap(([oneof, fields]) => {
    const written = fields.map(({ number }) => writer.fields.get(number)?.oneof);
    const isChoice =
      fields.length < 2 || (written[0] !== undefined && written.every((each) => each === written[0]));
    if (isChoice) return [];
    const names = fields.map(({ name }) => name).join(", ");
    return [
      breaks(
        path === "" ? oneof : `${path}.${oneof}`,
        `the writer can set ${names} together, of which the reader keeps one`,
      ),
    ];
  });
}

function hasOtherMembers(field: ProtobufField, writer: ProtobufMessage, reader: ProtobufMessage): boolean {
  return [...writer.fields.values()].some(
    (other) =>
      other !== field && other.oneof === field.oneof && reader.fields.get(other.number)?.oneof !== undefined,
  );
}
