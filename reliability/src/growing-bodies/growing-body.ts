import type { Serializer } from "@waybill/core";

/** A body that grows in one dimension. */
export interface GrowingBody {
  readonly contentType: string;
  readonly serializer: () => Serializer;
  /** A body of about as many bytes, whose content is valid unless the dimension is an error. */
  readonly make: (bytes: number) => Buffer;
  /** Reads a body with the library beneath the serializer, where that alone takes long. */
  readonly bare?: (bytes: Uint8Array) => unknown;
}

/** Bodies by what grows in them. */
export type GrowingBodies = Readonly<Record<string, GrowingBody>>;

/** Bytes, as text or numbers. */
export type Piece = string | readonly number[] | Uint8Array;

function bytesOf(piece: Piece): Buffer {
  return typeof piece === "string" ? Buffer.from(piece) : Buffer.from(piece as Uint8Array);
}

/** One piece again and again between a beginning and an end. */
export function repeated(begin: Piece, piece: Piece, end: Piece): (bytes: number) => Buffer {
  const part = bytesOf(piece);
  return (bytes) => {
    const count = countOf(bytes, part);
    return Buffer.concat([bytesOf(begin), Buffer.alloc(count * part.length, part), bytesOf(end)]);
  };
}

/** Pieces that differ by their number, between a beginning and an end. */
export function numbered(
  begin: Piece,
  piece: (index: number) => Piece,
  end: Piece,
): (bytes: number) => Buffer {
  return (bytes) => {
    const body = new Bytes();
    body.add(begin);
    const first = body.length;
    for (let index = 0; body.length < first + bytes; index++) body.add(piece(index));
    body.add(end);
    return body.written();
  };
}

/** Pieces after a count of them that comes first: the same one again and again, or pieces that differ by their number. */
export function counted(
  begin: (count: number) => Piece,
  piece: Piece | ((index: number) => Piece),
  end: Piece = [],
): (bytes: number) => Buffer {
  return (bytes) => {
    if (typeof piece !== "function") {
      const count = countOf(bytes, piece);
      return repeated(begin(count), piece, end)(bytes);
    }
    const count = countOf(bytes, piece(0));
    const body = new Bytes();
    body.add(begin(count));
    for (let index = 0; index < count; index++) body.add(piece(index));
    body.add(end);
    return body.written();
  };
}

/** How many pieces have about as many bytes. */
function countOf(bytes: number, piece: Piece): number {
  return Math.max(1, Math.floor(bytes / bytesOf(piece).length));
}

/** Pieces side by side in one buffer: a list of millions would take more memory than the reader of their bytes may. */
class Bytes {
  length = 0;
  #buffer = Buffer.alloc(64 * 1024);

  add(piece: Piece): void {
    const part = bytesOf(piece);
    const end = this.length + part.length;
    if (end > this.#buffer.length) this.#buffer = Buffer.concat([this.#buffer], 2 * end);
    this.#buffer.set(part, this.length);
    this.length = end;
  }

  written(): Buffer {
    return this.#buffer.subarray(0, this.length);
  }
}

/** A text of as many bytes inside 50 levels, which must not be read again at each of them. */
export function nested(
  inner: (bytes: number) => Piece,
  level: (content: Buffer) => readonly [begin: Piece, end: Piece],
): (bytes: number) => Buffer {
  return (bytes) => {
    let body = bytesOf(inner(bytes));
    for (let depth = 0; depth < 50; depth++) {
      const [begin, end] = level(body);
      body = Buffer.concat([bytesOf(begin), body, bytesOf(end)]);
    }
    return body;
  };
}

/** A number in as many characters, whatever it is. */
export function label(index: number, length = 6): string {
  return index.toString(36).padStart(length, "0");
}

export function uint32(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff];
}
