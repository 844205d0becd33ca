import { compareValues } from "../../comparison/compare-values.js";
import { fieldNamed } from "../structure/protobuf-fields.js";
import type { ProtobufField, ProtobufMessage } from "../structure/protobuf-type.js";
import { localName } from "../values/protobuf-values.js";

/** Where a reader's value differs from what was written: its path, and a few words; undefined if it is the same for the reader's purpose. */
export type Difference = { readonly path: string; readonly text: string } | undefined;

/** Compares values of formats whose values the reader does not change: every difference counts, but what a schema of the reader leaves out. */
export function comparePlain(written: unknown, read: unknown): Difference {
  let found: Difference;
  compareValues(written, read, (path, kind) => {
    if (kind === "missing" || kind === "undefined-null") return;
    const text =
      kind === "added" ? "it is read, and was not written" : `it is read as another value (${kind})`;
    found ??= { path: path === "/" ? "" : path, text };
  });
  return found;
}

/**
 * Compares values of Avro: what the reader does not have is left out, what only it has is its default, and promotions, logical types and the default
 * of an enum change the form of a value, not the value.
 */
export function compareAvro(
  written: unknown,
  read: unknown,
  fallbacks: ReadonlySet<unknown>,
  path = "",
): Difference {
  if (isPlain(written) && isPlain(read)) {
    const [one, other] = [unwrapped(written), unwrapped(read)];
    if (one !== undefined && other === undefined && !((Object.keys(written)[0] as string) in read))
      return compareAvro(one, read, fallbacks, path);
    if (other !== undefined && one === undefined && !((Object.keys(read)[0] as string) in written))
      return compareAvro(written, other, fallbacks, path);
    for (const name of Object.keys(written)) {
      if (!Object.hasOwn(read, name)) continue;
      const found = compareAvro(written[name], read[name], fallbacks, `${path}/${name}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (isPlain(written) && unwrapped(written) !== undefined)
    return compareAvro(unwrapped(written), read, fallbacks, path);
  if (isPlain(read) && unwrapped(read) !== undefined)
    return compareAvro(written, unwrapped(read), fallbacks, path);
  if (Array.isArray(written) && Array.isArray(read)) {
    if (written.length !== read.length)
      return { path, text: `${written.length} items are read as ${read.length}` };
    for (const [index, item] of written.entries()) {
      const found = compareAvro(item, read[index], fallbacks, `${path}/${index}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (isSameScalar(written, read) || (typeof read === "string" && fallbacks.has(read))) return undefined;
  return { path, text: "it is read as another value" };
}

/** The value of a union in its wrapped form. */
function unwrapped(value: Readonly<Record<string, unknown>>): unknown {
  const [only, ...others] = Object.values(value);
  return others.length === 0 ? only : undefined;
}

function isSameScalar(written: unknown, read: unknown): boolean {
  if (Object.is(written, read)) return true;
  if (isNumeric(written) && isNumeric(read)) return isClose(Number(written), Number(read));
  // A timestamp without its logical type, or with one.
  if (written instanceof Date || read instanceof Date)
    return written instanceof Date && read instanceof Date ? written.getTime() === read.getTime() : true;
  if (written instanceof Uint8Array && read instanceof Uint8Array) return Buffer.compare(written, read) === 0;
  if (written instanceof Uint8Array || read instanceof Uint8Array) return isSameText(written, read);
  return typeof written === "string" && typeof read === "string" && isSameDigits(written, read);
}

/** A text as its bytes, or a decimal without its logical type. */
function isSameText(written: unknown, read: unknown): boolean {
  const [bytes, text] = written instanceof Uint8Array ? [written, read] : [read as Uint8Array, written];
  if (typeof text !== "string") return isPlain(text);
  return Buffer.from(text).equals(bytes) || /^-?\d+(?:\.\d+)?$/.test(text) || /^[\da-f-]{36}$/.test(text);
}

/** Decimals of other scales, and local times with more digits. */
function isSameDigits(written: string, read: string): boolean {
  const digits = (text: string) => (/^[-\dT:.]+$/.test(text) ? text.replace(/\.?0+$/, "") : text);
  return digits(written) === digits(read);
}

/** Compares messages of Protobuf field by field, by their numbers: names may differ. */
export function compareProtobuf(
  written: unknown,
  read: unknown,
  writer: ProtobufMessage,
  reader: ProtobufMessage,
  path = "",
): Difference {
  for (const field of writer.fields.values()) {
    const value = fieldOf(written, field) ?? defaultOf(field);
    if (isUnset(value)) continue;
    const wanted = fieldNamed(reader, field.name) ?? reader.fields.get(field.number);
    if (wanted === undefined && isOneof(field, writer, reader))
      return { path: `${path}/${field.name}`, text: "the reader sees no choice" };
    if (wanted === undefined) continue;
    const found = compareField(value, fieldOf(read, wanted), field, wanted, `${path}/${field.name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function compareField(
  written: unknown,
  read: unknown,
  writer: ProtobufField,
  reader: ProtobufField,
  path: string,
): Difference {
  const [many, others] = [listOf(written, writer), listOf(read, reader)];
  if (many.length !== others.length)
    return { path, text: isUnset(read) ? "it is lost" : "only a part of it is read" };
  for (const [index, item] of many.entries()) {
    const other = others[index];
    const found =
      writer.message !== undefined && reader.message !== undefined && isPlain(item) && isPlain(other)
        ? compareProtobuf(item, other, entryOf(writer), entryOf(reader), path)
        : isSameScalar(scalar(item), scalar(other)) || isPlain(item)
          ? undefined
          : { path, text: "it is read as another value" };
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What an absent field means in proto2: its default, which the definition has as a text. */
function defaultOf({ default: text, type }: ProtobufField): unknown {
  return text === undefined || type === "string" || !/^-?\d+$/.test(text) ? text : Number(text);
}

/** Whether the reader has other members of the oneof of a field. */
function isOneof({ oneof }: ProtobufField, writer: ProtobufMessage, reader: ProtobufMessage): boolean {
  return (
    oneof !== undefined &&
    [...writer.fields.values()].some(
      (each) => each.oneof === oneof && reader.fields.get(each.number)?.oneof !== undefined,
    )
  );
}

/** The type of the values of a map. */
function entryOf({ message, isMap }: ProtobufField): ProtobufMessage {
  return (isMap ? message?.fields.get(2)?.message : message) ?? { name: "", fields: new Map(), reserved: [] };
}

function fieldOf(message: unknown, { name, oneof }: ProtobufField): unknown {
  if (!isPlain(message)) return undefined;
  if (oneof === undefined) return message[localName(name)];
  const chosen = message[localName(oneof)];
  return isPlain(chosen) && chosen.case === localName(name) ? chosen.value : undefined;
}

function listOf(value: unknown, { isMap, isRepeated }: ProtobufField): readonly unknown[] {
  if (isUnset(value)) return [];
  if (isMap && isPlain(value)) return Object.values(value);
  return isRepeated && Array.isArray(value) ? value : [value];
}

/** Absent, or the default, which is not written. */
function isUnset(value: unknown): boolean {
  return (
    value === undefined ||
    value === 0 ||
    value === 0n ||
    value === "" ||
    value === false ||
    (Array.isArray(value) && value.length === 0) ||
    (value instanceof Uint8Array && value.length === 0) ||
    (isPlain(value) && Object.keys(value).length === 0)
  );
}

function scalar(value: unknown): unknown {
  return typeof value === "boolean" ? Number(value) : value;
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date) &&
    !(value instanceof Uint8Array)
  );
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** Up to the rounding of a promotion to single precision. */
function isClose(one: number, other: number): boolean {
  return one === other || Math.abs(one - other) <= Math.max(Math.abs(one), Math.abs(other)) * 2 ** -23;
}
