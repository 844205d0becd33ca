import type { ByteReader } from "../codec/byte-reader.js";
import { readValue, skipValue, typeNames } from "../codec/decode.js";
import type { AmqpTypeName } from "../codec/value.js";

/** Maximum size of application properties, in bytes of their names and values. */
export interface PropertyLimits {
  /** One property with its name. */
  readonly propertyBytes: number;
  /** All properties of a message together. */
  readonly totalBytes: number;
}

/** What is wrong with a message's application properties; `name` is the first affected one. */
export type PropertyFault =
  | { readonly kind: "compound"; readonly name: string; readonly type: AmqpTypeName }
  | { readonly kind: "too-large"; readonly name: string; readonly bytes: number }
  | { readonly kind: "too-large-together"; readonly bytes: number };

/** Checks the encoded map of application properties, which must be well-formed, without decoding its values. */
export function findPropertyFault(
  reader: ByteReader,
  { propertyBytes, totalBytes }: PropertyLimits,
): PropertyFault | undefined {
  const isWide = reader.readUint8() === map32;
  reader.advance(isWide ? 4 : 1);
  const count = isWide ? reader.readUint32() : reader.readUint8();
  let bytes = 0;
  for (let i = 0; i < count; i += 2) {
    const keyStart = reader.position;
    const keyBytes = skipSized(reader);
    const type = typeAt(reader);
    if (type !== undefined) return { kind: "compound", name: nameAt(reader, keyStart), type };
    const size = keyBytes + skipSized(reader);
    if (size > propertyBytes) return { kind: "too-large", name: nameAt(reader, keyStart), bytes: size };
    bytes += size;
  }
  return bytes > totalBytes ? { kind: "too-large-together", bytes } : undefined;
}

/** Skips a value and returns its size without constructor and size field; a described value counts completely. */
function skipSized(reader: ByteReader): number {
  const start = reader.position;
  const nibble = (reader.buffer[start] as number) >> 4;
  skipValue(reader);
  return reader.position - start - (nibble < 0xa || nibble > 0xb ? 1 : nibble === 0xa ? 2 : 5);
}

/** The type of the next value, without descriptors, if it is a list, map or array. Does not move the reader. */
function typeAt(reader: ByteReader): AmqpTypeName | undefined {
  const start = reader.position;
  let code = reader.readUint8();
  while (code === 0x00) {
    skipValue(reader);
    code = reader.readUint8();
  }
  reader.position = start;
  const type = typeNames.get(code);
  return type === "list" || type === "map" || type === "array" ? type : undefined;
}

function nameAt(reader: ByteReader, start: number): string {
  reader.position = start;
  const key = readValue(reader);
  return typeof key === "string" ? key : "";
}

const map32 = 0xd1;
