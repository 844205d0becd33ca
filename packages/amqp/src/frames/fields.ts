import type { ByteReader } from "../codec/byte-reader.js";
import type { ByteWriter } from "../codec/byte-writer.js";
import { readPrimitive, readValue, skipValue } from "../codec/decode.js";
import type { AmqpValue } from "../codec/value.js";

/** Reads fields of a performative one by one from its bytes, without creating a list. A field that is null or missing is `undefined`. */
export class FieldReader {
  readonly #reader: ByteReader;
  readonly #outerEnd: number;
  #left: number;

  /** Enters the list at the reader's position. Throws `AmqpDecodeError` if there is none. */
  constructor(reader: ByteReader) {
    this.#reader = reader;
    this.#outerEnd = reader.end;
    const code = reader.readUint8();
    if (code === 0x45) {
      this.#left = 0;
      reader.end = reader.position;
      return;
    }
    if (code !== 0xc0 && code !== 0xd0) reader.fail("a performative is not a list");
    const size = code === 0xc0 ? reader.readUint8() : reader.readUint32();
    if (size > reader.end - reader.position) reader.fail("a performative is cut off");
    reader.end = reader.position + size;
    this.#left = code === 0xc0 ? reader.readUint8() : reader.readUint32();
  }

  /** How many fields are left to read. */
  get left(): number {
    return this.#left;
  }

  /** Leaves the list and moves the reader behind it. */
  leave(): void {
    this.#reader.position = this.#reader.end;
    this.#reader.end = this.#outerEnd;
  }

  uint(name: string): number | undefined {
    if (this.#left-- <= 0) return undefined;
    const reader = this.#reader;
    switch (reader.readUint8()) {
      case 0x40:
        return undefined;
      case 0x43:
        return 0;
      case 0x50:
      case 0x52:
        return reader.readUint8();
      case 0x60:
        return reader.buffer.readUInt16BE(reader.advance(2));
      case 0x70:
        return reader.readUint32();
      default:
        return reader.fail(`${name} is not a uint`);
    }
  }

  boolean(name: string): boolean {
    if (this.#left-- <= 0) return false;
    const reader = this.#reader;
    switch (reader.readUint8()) {
      case 0x40:
      case 0x42:
        return false;
      case 0x41:
        return true;
      case 0x56:
        return reader.readUint8() === 1;
      default:
        return reader.fail(`${name} is not a boolean`);
    }
  }

  binary(name: string): Uint8Array | undefined {
    if (this.#left-- <= 0) return undefined;
    const value = readPrimitive(this.#reader, this.#reader.readUint8());
    if (value === null || value instanceof Uint8Array) return value ?? undefined;
    return this.#reader.fail(`${name} is not binary`);
  }

  value(): AmqpValue | undefined {
    if (this.#left-- <= 0) return undefined;
    return readValue(this.#reader) ?? undefined;
  }

  skip(): void {
    if (this.#left-- > 0) skipValue(this.#reader);
  }

  /** Whether the next bytes are exactly these; if so, skips them as one field. */
  matches(encoding: Uint8Array): boolean {
    const { buffer, position, end } = this.#reader;
    if (this.#left <= 0 || end - position < encoding.length) return false;
    for (let i = 0; i < encoding.length; i++) if (buffer[position + i] !== encoding[i]) return false;
    this.#left--;
    this.#reader.position = position + encoding.length;
    return true;
  }
}

/** Appends one byte: a complete one-byte value, or part of one. The caller must have ensured the space. */
export function putByte(writer: ByteWriter, byte: number): void {
  writer.buffer[writer.position++] = byte;
}

export const nullCode = 0x40;
export const trueCode = 0x41;
export const falseCode = 0x42;

/** Appends the head of a described list of at most 254 bytes; {@link endList} fills in the size. */
export function beginList(writer: ByteWriter, code: number, count: number): number {
  const { buffer, position } = writer;
  buffer[position] = 0x00;
  buffer[position + 1] = 0x53;
  buffer[position + 2] = code;
  buffer[position + 3] = 0xc0;
  buffer[position + 5] = count;
  writer.position = position + 6;
  return position + 4;
}

export function endList(writer: ByteWriter, sizeAt: number): void {
  writer.buffer[sizeAt] = writer.position - sizeAt - 1;
}
