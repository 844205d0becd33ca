import { ByteReader } from "../codec/byte-reader.js";
import {
  type Composite,
  type FieldsOf,
  type FieldTable,
  readComposite,
  readDescriptor,
} from "../codec/composite.js";
import { checkValue, readValue, skipValue } from "../codec/decode.js";
import { AmqpMap, type AmqpValue } from "../codec/value.js";
import { headerType, type MessageHeader, type MessageProperties, propertiesType } from "./header.js";
import { findPropertyFault, type PropertyFault, type PropertyLimits } from "./property-fault.js";

/** A range of bytes: `start` inclusive, `end` exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The range of a section. */
export interface SectionRange extends ByteRange {
  /** Where its value starts, after the descriptor. */
  readonly valueStart: number;
}

/** The kind of a message's body (3.2): only one kind occurs; `none` is a message without body sections. */
export type BodyKind = "data" | "sequence" | "value" | "none";

/**
 * The sections of a message, found by their sizes (3.2) without decoding. Accessors decode on demand and throw `AmqpDecodeError`; the body
 * is not decoded.
 */
export class MessageSections {
  /** The bytes that contain the message, from `start` to `end`. Ranges are offsets into them. */
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly header: SectionRange | undefined = undefined;
  readonly deliveryAnnotations: SectionRange | undefined = undefined;
  readonly messageAnnotations: SectionRange | undefined = undefined;
  readonly properties: SectionRange | undefined = undefined;
  readonly applicationProperties: SectionRange | undefined = undefined;
  readonly body: readonly SectionRange[] = noSections;
  readonly bodyKind: BodyKind = "none";
  readonly footer: SectionRange | undefined = undefined;
  #isReordered = false;

  /**
   * Throws `AmqpDecodeError` unless the sections are in the order of 3.2; the footer may precede the body, as in rhea, and delivery annotations may
   * come at any place before it, as in uAMQP, which sends them last.
   */
  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    const reader = new ByteReader(bytes, start, end);
    let previous = 0;
    while (reader.position < reader.end) {
      const sectionStart = reader.position;
      const code = readDescriptor(reader);
      if (code < headerCode || code > footerCode) reader.fail("a message section has an unknown descriptor");
      const isRepeated =
        code === footerCode
          ? this.footer !== undefined
          : code === previous && code !== dataCode && code !== sequenceCode;
      const isLate =
        code === deliveryAnnotationsCode &&
        code < previous &&
        this.deliveryAnnotations === undefined &&
        this.body === noSections;
      if ((code < previous && !isLate) || isRepeated) reader.fail("message sections are out of order");
      const valueStart = reader.position;
      skipValue(reader);
      const range = { start: sectionStart, valueStart, end: reader.position };
      if (code === headerCode) this.header = range;
      else if (code === deliveryAnnotationsCode) this.deliveryAnnotations = range;
      else if (code === messageAnnotationsCode) this.messageAnnotations = range;
      else if (code === propertiesCode) this.properties = range;
      else if (code === applicationPropertiesCode) this.applicationProperties = range;
      else if (code === footerCode) this.footer = range;
      else if (code === previous) {
        if ((this.body as SectionRange[]).push(range) > maxSections) {
          reader.fail("a message has too many body sections");
        }
      } else if (this.body !== noSections) reader.fail("a message mixes kinds of body sections");
      else {
        this.body = [range];
        if (this.footer !== undefined) this.#isReordered = true;
        this.bodyKind = code === dataCode ? "data" : code === sequenceCode ? "sequence" : "value";
      }
      if (isLate) this.#isReordered = true;
      // After a footer that precedes the body, only the body may follow.
      else previous = code === footerCode && this.body === noSections ? applicationPropertiesCode : code;
    }
  }

  /** Offset of the bare message, which follows header and annotations (3.2). */
  get bareStart(): number {
    return (this.messageAnnotations ?? this.deliveryAnnotations ?? this.header)?.end ?? this.start;
  }

  /** The message with its sections in the order of 3.2, which other readers expect; returns itself if they are. */
  inOrder(): MessageSections {
    const { bytes, header, deliveryAnnotations, messageAnnotations, footer, body } = this;
    if (!this.#isReordered) return this;
    const front = [header, deliveryAnnotations, messageAnnotations, this.properties];
    const parts = [...front, this.applicationProperties, ...body, footer].map(
      (range) => range && bytes.subarray(range.start, range.end),
    );
    return new MessageSections(Buffer.concat(parts.filter((part) => part !== undefined)));
  }

  /**
   * What is wrong with the application properties: one is not a simple value (3.2.5), or one or all together exceed `limits`. Names and
   * values count without encoding overhead. Call it after `checkKept`.
   */
  findPropertyFault(limits: PropertyLimits): PropertyFault | undefined {
    const range = this.applicationProperties;
    if (range === undefined || this.#isEmpty(range, map8)) return undefined;
    return findPropertyFault(this.#readerOf(range), limits);
  }

  /**
   * Checks the sections that are usually stored encoded: delivery annotations, application properties, body and footer. Afterwards they can
   * be decoded at any time. Needs no memory for their content. Throws `AmqpDecodeError`.
   */
  checkKept(): void {
    this.#checkMap(this.deliveryAnnotations);
    this.#checkMap(this.applicationProperties);
    for (const range of this.body) this.#checkBody(range);
    this.#checkMap(this.footer);
  }

  decodeHeader(): MessageHeader | undefined {
    return this.#fields(this.header, headerType);
  }

  decodeDeliveryAnnotations(): AmqpMap | undefined {
    return this.#map(this.deliveryAnnotations);
  }

  decodeMessageAnnotations(): AmqpMap | undefined {
    return this.#map(this.messageAnnotations);
  }

  decodeProperties(): MessageProperties | undefined {
    return this.#fields(this.properties, propertiesType);
  }

  decodeApplicationProperties(): AmqpMap | undefined {
    return this.#map(this.applicationProperties);
  }

  /** The range of the body's bytes if it is one data section; `undefined` for every other body. */
  get data(): ByteRange | undefined {
    const range = this.body[0];
    const isOneSection = this.bodyKind === "data" && this.body.length === 1;
    return isOneSection && range !== undefined ? binaryIn(this.bytes, range) : undefined;
  }

  /**
   * The values of the body sections: the binary of each data section, each list, or the single value. A section with more than `maxValues`
   * values is malformed.
   */
  decodeBody(maxValues = 0x7fffffff): readonly AmqpValue[] {
    return this.body.map((range) => {
      const reader = this.#readerOf(range);
      reader.maxItems = maxValues;
      return readValue(reader);
    });
  }

  #fields<Table extends FieldTable>(
    range: SectionRange | undefined,
    type: Composite<Table>,
  ): FieldsOf<Table> | undefined {
    if (range === undefined) return undefined;
    return this.#isEmpty(range, list8)
      ? (noFields as FieldsOf<Table>)
      : readComposite(this.#boundedReaderOf(range), type);
  }

  #map(range: SectionRange | undefined): AmqpMap | undefined {
    if (range === undefined) return undefined;
    if (this.#isEmpty(range, map8)) return noEntries;
    const reader = this.#boundedReaderOf(range);
    const value = readValue(reader);
    return value instanceof AmqpMap ? value : reader.fail(notAMap);
  }

  #checkMap(range: SectionRange | undefined): void {
    if (range === undefined || this.#isEmpty(range, map8)) return;
    const reader = this.#readerOf(range);
    if (!isWideOr(map8, this.bytes[range.valueStart])) reader.fail(notAMap);
    checkValue(reader);
  }

  #checkBody(range: SectionRange): void {
    const code = this.bytes[range.valueStart];
    if (this.bodyKind === "data") {
      // Binary is checked by its size only; it has no content to decode.
      if (!isWideOr(binary8, code)) this.#readerOf(range).fail("a data section does not hold binary");
      return;
    }
    const reader = this.#readerOf(range);
    if (this.bodyKind === "sequence" && code !== emptyList && !isWideOr(list8, code)) {
      reader.fail("a sequence section does not hold a list");
    }
    checkValue(reader);
  }

  /** Whether a section is an empty list or map: some SDKs put several of these in front of every message. */
  #isEmpty({ valueStart, end }: SectionRange, code8: number): boolean {
    const { bytes } = this;
    const code = bytes[valueStart];
    const size = end - valueStart;
    if (size === 1) return code === emptyList && code8 === list8;
    if (size === 3) return code === code8 && bytes[end - 1] === 0;
    if (size !== 9 || code !== code8 + wide) return false;
    return bytes[end - 4] === 0 && bytes[end - 3] === 0 && bytes[end - 2] === 0 && bytes[end - 1] === 0;
  }

  #boundedReaderOf(range: SectionRange): ByteReader {
    const reader = this.#readerOf(range);
    reader.maxItems = valueLimit;
    return reader;
  }

  #readerOf(range: SectionRange): ByteReader {
    return new ByteReader(this.bytes, range.valueStart, range.end);
  }
}

/** Maximum values in a section other than the body: as many as fit into the 64 KB that services allow. */
const valueLimit = 65_536;
/** Maximum body sections: far more than real messages or batches have. */
const maxSections = 10_000;

/** Whether a constructor is the given one, or its variant with a size of four bytes. */
function isWideOr(code8: number, code: number | undefined): boolean {
  return code === code8 || code === code8 + wide;
}

/** Finds the sections of an encoded message (3.2). Throws `AmqpDecodeError` when it is malformed. */
export function scanMessage(bytes: Uint8Array): MessageSections {
  return new MessageSections(bytes);
}

/** The range of a section's bytes if its value is binary; `undefined` for any other value. */
export function binaryIn(bytes: Uint8Array, { valueStart, end }: SectionRange): ByteRange | undefined {
  const code = bytes[valueStart];
  if (code === binary8) return { start: valueStart + 2, end };
  return code === binary32 ? { start: valueStart + 5, end } : undefined;
}

const headerCode = 0x70;
const deliveryAnnotationsCode = 0x71;
const messageAnnotationsCode = 0x72;
const propertiesCode = 0x73;
const applicationPropertiesCode = 0x74;
const dataCode = 0x75;
const sequenceCode = 0x76;
const footerCode = 0x78;
const emptyList = 0x45;
const binary8 = 0xa0;
const binary32 = 0xb0;
const list8 = 0xc0;
const map8 = 0xc1;
/** Distance between a constructor with a size of four bytes and the one with a size of one. */
const wide = 0x10;
const notAMap = "a message section is not a map";
const noSections: readonly SectionRange[] = [];
const noFields = Object.freeze({});
const noEntries = new AmqpMap();
