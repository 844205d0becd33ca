import { Records } from "../binary-xml/records.js";
import { ByteSink } from "./byte-sink.js";
import { utf8 } from "./utf8.js";

/** A reader counts a byte string as four items; its element is one of them. */
const nodesPerByteString = 3;

/** Added to a record type, it also closes the element. */
const endRecord = 1;

/** A document, and how many elements, attributes and declarations it has at most: it holds no more items. */
export interface WrittenDocument {
  readonly bytes: Uint8Array;
  readonly nodeCount: number;
}

/**
 * Writes elements and texts like .NET's binary writer: the smallest record for a number, `Zero` and `One` for the texts "0" and "1", no
 * record for an empty text. Each text method closes the open element. Source: System.Xml.XmlBinaryNodeWriter.
 */
export class ElementWriter {
  readonly #sink = new ByteSink();
  #nodeCount = 0;

  finish(): WrittenDocument {
    return { bytes: this.#sink.toBytes(), nodeCount: this.#nodeCount };
  }

  /** Opens an element; an empty prefix means the default namespace. */
  start(prefix: string, name: string): void {
    this.#nodeCount++;
    const letter = letterOf(prefix);
    if (prefix === "") this.#sink.uint8(Records.shortElement);
    else if (letter !== undefined) this.#sink.uint8(Records.firstPrefixElement + letter);
    else {
      this.#sink.uint8(Records.element);
      this.#sink.name(prefix);
    }
    this.#sink.name(name);
  }

  end(): void {
    this.#sink.uint8(Records.endElement);
  }

  declare(prefix: string, namespace: string): void {
    this.#nodeCount++;
    if (prefix === "") this.#sink.uint8(Records.shortXmlns);
    else {
      this.#sink.uint8(Records.xmlns);
      this.#sink.name(prefix);
    }
    this.#sink.name(namespace);
  }

  /** An attribute `i:…`, with text or with `true`. */
  instanceAttribute(name: "nil" | "type", value: string | true): void {
    this.#nodeCount++;
    this.#sink.uint8(Records.firstPrefixAttribute + ("i".charCodeAt(0) - 0x61));
    this.#sink.name(name);
    if (value === true) this.#sink.uint8(Records.true);
    else this.#chars(value, 0);
  }

  text(text: string): void {
    if (text === "") this.end();
    else if (text === "0") this.#sink.uint8(Records.zero + endRecord);
    else if (text === "1") this.#sink.uint8(Records.one + endRecord);
    else this.#chars(text, endRecord);
  }

  boolean(value: boolean): void {
    this.#sink.uint8((value ? Records.true : Records.false) + endRecord);
  }

  /** An integer of 64 bits or less. */
  integer(value: number | bigint): void {
    const sink = this.#sink;
    if (value === 0 || value === 0n) sink.uint8(Records.zero + endRecord);
    else if (value === 1 || value === 1n) sink.uint8(Records.one + endRecord);
    else if (value >= -0x80 && value <= 0x7f) {
      sink.uint8(Records.int8 + endRecord);
      sink.uint8(Number(value) & 0xff);
    } else if (value >= -0x8000 && value <= 0x7fff) {
      sink.uint8(Records.int16 + endRecord);
      sink.uint16(Number(value) & 0xffff);
    } else if (value >= -0x8000_0000 && value <= 0x7fff_ffff) {
      sink.uint8(Records.int32 + endRecord);
      sink.uint32(Number(value) >>> 0);
    } else {
      sink.uint8(Records.int64 + endRecord);
      sink.uint64(BigInt(value));
    }
  }

  /** Integers are written as integers, other numbers as a float if that is exact. */
  double(value: number): void {
    if (Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63) this.integer(BigInt(value));
    else if (Math.fround(value) === value || Number.isNaN(value)) {
      this.#sink.uint8(Records.float + endRecord);
      this.#sink.float32(value);
    } else {
      this.#sink.uint8(Records.double + endRecord);
      this.#sink.float64(value);
    }
  }

  /** 96 bits and a scale of up to 28 decimals. */
  decimal(isNegative: boolean, scale: number, digits: bigint): void {
    this.#sink.uint8(Records.decimal + endRecord);
    this.#sink.uint16(0);
    this.#sink.uint8(scale);
    this.#sink.uint8(isNegative ? 0x80 : 0);
    this.#sink.uint32(Number(digits >> 64n));
    this.#sink.uint64(digits & (2n ** 64n - 1n));
  }

  /** The 64 bits of a DateTime. */
  dateTime(bits: bigint): void {
    this.#sink.uint8(Records.dateTime + endRecord);
    this.#sink.uint64(bits);
  }

  /** Whole groups of three bytes first, the last one or two bytes in a separate record, as .NET writes base64 in chunks. */
  binary(bytes: Uint8Array): void {
    this.#nodeCount += nodesPerByteString;
    if (bytes.length === 0) this.end();
    const whole = bytes.length - (bytes.length % 3);
    if (whole > 0) this.#bytesRecord(bytes.subarray(0, whole), whole === bytes.length ? endRecord : 0);
    if (whole < bytes.length) this.#bytesRecord(bytes.subarray(whole), endRecord);
  }

  #bytesRecord(bytes: Uint8Array, end: number): void {
    this.#lengthRecord([Records.bytes8, Records.bytes16, Records.bytes32], bytes.length, end);
    this.#sink.bytes(bytes);
  }

  /** UTF-8, or UTF-16 if that is shorter. */
  #chars(text: string, end: number): void {
    const bytes = utf8(text);
    if (bytes.length > text.length * 2) {
      this.#unicodeChars(text, end);
    } else {
      this.#lengthRecord([Records.chars8, Records.chars16, Records.chars32], bytes.length, end);
      this.#sink.bytes(bytes);
    }
  }

  #unicodeChars(text: string, end: number): void {
    const records = [Records.unicodeChars8, Records.unicodeChars16, Records.unicodeChars32] as const;
    this.#lengthRecord(records, text.length * 2, end);
    for (let index = 0; index < text.length; index++) this.#sink.uint16(text.charCodeAt(index));
  }

  #lengthRecord(
    records: readonly [byte: number, short: number, long: number],
    length: number,
    end: number,
  ): void {
    if (length <= 0xff) {
      this.#sink.uint8(records[0] + end);
      this.#sink.uint8(length);
    } else if (length <= 0xffff) {
      this.#sink.uint8(records[1] + end);
      this.#sink.uint16(length);
    } else {
      this.#sink.uint8(records[2] + end);
      this.#sink.uint32(length);
    }
  }
}

/** The index of a single-letter prefix, which has its own records. */
function letterOf(prefix: string): number | undefined {
  if (prefix.length !== 1) return undefined;
  const letter = prefix.charCodeAt(0) - 0x61;
  return letter >= 0 && letter < 26 ? letter : undefined;
}
