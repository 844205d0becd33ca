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

/** Where some bytes lie: `start` inclusive, `end` exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Where a section lies. */
export interface SectionRange extends ByteRange {
  /** Where its value starts, behind the descriptor. */
  readonly valueStart: number;
}

/** The kind of a message's body (3.2): at most one kind occurs; `none` is a message without body sections. */
export type BodyKind = "data" | "sequence" | "value" | "none";

/**
 * A message's sections found by their sizes (3.2), nothing decoded. The accessors decode when asked and throw
 * `AmqpDecodeError`; the body is never touched.
 */
export class MessageSections {
  /** Where the message lies, from `start` to `end`. Ranges are offsets into it. */
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly header: SectionRange | undefined = undefined;
  readonly deliveryAnnotations: SectionRange | undefined = undefined;
  readonly messageAnnotations: SectionRange | undefined = undefined;
  readonly properties: SectionRange | undefined = undefined;
  readonly applicationProperties: SectionRange | undefined = undefined;
  readonly body: readonly SectionRange[] = NONE;
  readonly bodyKind: BodyKind = "none";
  readonly footer: SectionRange | undefined = undefined;

  /** Throws `AmqpDecodeError` when the bytes are not sections in the order of 3.2, save that rhea puts the footer in front of the body. */
  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    const reader = new ByteReader(bytes, start, end);
    let previous = 0;
    while (reader.position < reader.end) {
      const sectionStart = reader.position;
      const code = readDescriptor(reader);
      if (code < HEADER || code > FOOTER) reader.fail("a message section has an unknown descriptor");
      const isRepeated =
        code === FOOTER ? this.footer !== undefined : code === previous && !isRepeatable(code);
      if (code < previous || isRepeated) reader.fail("message sections are out of order");
      const valueStart = reader.position;
      skipValue(reader);
      const range = { start: sectionStart, valueStart, end: reader.position };
      if (code === HEADER) this.header = range;
      else if (code === DELIVERY_ANNOTATIONS) this.deliveryAnnotations = range;
      else if (code === MESSAGE_ANNOTATIONS) this.messageAnnotations = range;
      else if (code === PROPERTIES) this.properties = range;
      else if (code === APPLICATION_PROPERTIES) this.applicationProperties = range;
      else if (code === FOOTER) this.footer = range;
      else if (code === previous) {
        if ((this.body as SectionRange[]).push(range) > MAX_SECTIONS) {
          reader.fail("a message has too many body sections");
        }
      } else if (this.body !== NONE) reader.fail("a message mixes kinds of body sections");
      else {
        this.body = [range];
        this.bodyKind = code === DATA ? "data" : code === SEQUENCE ? "sequence" : "value";
      }
      // Behind a footer that stands in front of the body nothing but the body may come.
      previous = code === FOOTER && this.body === NONE ? APPLICATION_PROPERTIES : code;
    }
  }

  /** Offset of the bare message: what follows header and annotations (3.2). */
  get bareStart(): number {
    return (this.messageAnnotations ?? this.deliveryAnnotations ?? this.header)?.end ?? this.start;
  }

  /** The message with its sections in the order of 3.2, for readers that look for the footer behind the body only; itself if they are. */
  inOrder(): MessageSections {
    const { bytes, footer, body, end } = this;
    const [first] = body;
    if (footer === undefined || first === undefined || footer.start > first.start) return this;
    const parts = [
      bytes.subarray(this.start, footer.start),
      bytes.subarray(footer.end, end),
      bytes.subarray(footer.start, footer.end),
    ];
    return new MessageSections(Buffer.concat(parts));
  }

  /**
   * What is wrong with the application properties: one is no simple value, as 3.2.5 wants them, one is larger than `limits` say, or all are
   * together. Names and values count with their own bytes, without what the encoding adds. To be called after `checkKept`.
   */
  findPropertyFault(limits: PropertyLimits): PropertyFault | undefined {
    const range = this.applicationProperties;
    if (range === undefined || this.#isEmpty(range, MAP_8)) return undefined;
    return findPropertyFault(this.#readerOf(range), limits);
  }

  /**
   * Looks at all that is usually kept encoded: delivery annotations, application properties, body and footer. What passes decodes, whenever
   * somebody asks. Needs no memory for what they hold. Throws `AmqpDecodeError`.
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

  /** Where the bytes of a body lie that is one data section; `undefined` for every other body. */
  get data(): ByteRange | undefined {
    const range = this.body[0];
    const isOneSection = this.bodyKind === "data" && this.body.length === 1;
    return isOneSection && range !== undefined ? binaryIn(this.bytes, range) : undefined;
  }

  /**
   * The values of the body sections: the binary of each data section, each list, or the one value. A section that holds more than `maxValues`
   * is malformed.
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
    return this.#isEmpty(range, LIST_8)
      ? (NO_FIELDS as FieldsOf<Table>)
      : readComposite(this.#frugalReaderOf(range), type);
  }

  #map(range: SectionRange | undefined): AmqpMap | undefined {
    if (range === undefined) return undefined;
    if (this.#isEmpty(range, MAP_8)) return NO_ENTRIES;
    const reader = this.#frugalReaderOf(range);
    const value = readValue(reader);
    return value instanceof AmqpMap ? value : reader.fail(NOT_A_MAP);
  }

  #checkMap(range: SectionRange | undefined): void {
    if (range === undefined || this.#isEmpty(range, MAP_8)) return;
    const reader = this.#readerOf(range);
    if (!isWideOr(MAP_8, this.bytes[range.valueStart])) reader.fail(NOT_A_MAP);
    checkValue(reader);
  }

  #checkBody(range: SectionRange): void {
    const code = this.bytes[range.valueStart];
    if (this.bodyKind === "data") {
      // Bytes were found by their size, and there is nothing more to them.
      if (!isWideOr(BINARY_8, code)) this.#readerOf(range).fail("a data section does not hold binary");
      return;
    }
    const reader = this.#readerOf(range);
    if (this.bodyKind === "sequence" && code !== EMPTY_LIST && !isWideOr(LIST_8, code)) {
      reader.fail("a sequence section does not hold a list");
    }
    checkValue(reader);
  }

  /** Whether a section is a list, or a map, of no items: some SDKs put several of these in front of every message. */
  #isEmpty({ valueStart, end }: SectionRange, code8: number): boolean {
    const { bytes } = this;
    const code = bytes[valueStart];
    const size = end - valueStart;
    if (size === 1) return code === EMPTY_LIST && code8 === LIST_8;
    if (size === 3) return code === code8 && bytes[end - 1] === 0;
    if (size !== 9 || code !== code8 + WIDE) return false;
    return bytes[end - 4] === 0 && bytes[end - 3] === 0 && bytes[end - 2] === 0 && bytes[end - 1] === 0;
  }

  #frugalReaderOf(range: SectionRange): ByteReader {
    const reader = this.#readerOf(range);
    reader.maxItems = MAX_VALUES;
    return reader;
  }

  #readerOf(range: SectionRange): ByteReader {
    return new ByteReader(this.bytes, range.valueStart, range.end);
  }
}

/** Values in a section other than the body: as many as fit into what services take of them, 64 KB. */
const MAX_VALUES = 65_536;
/** Sections of a body: far more than anybody puts into one, or into a batch. */
const MAX_SECTIONS = 10_000;

function isRepeatable(code: number): boolean {
  return code === DATA || code === SEQUENCE;
}

/** Whether a constructor is the one given, or the same with a size of four octets. */
function isWideOr(code8: number, code: number | undefined): boolean {
  return code === code8 || code === code8 + WIDE;
}

/** Finds the sections of an encoded message (3.2). Throws `AmqpDecodeError` when it is malformed. */
export function scanMessage(bytes: Uint8Array): MessageSections {
  return new MessageSections(bytes);
}

/** Where the bytes of a section lie whose value is binary; `undefined` for any other value. */
export function binaryIn(bytes: Uint8Array, { valueStart, end }: SectionRange): ByteRange | undefined {
  const code = bytes[valueStart];
  if (code === BINARY_8) return { start: valueStart + 2, end };
  return code === BINARY_32 ? { start: valueStart + 5, end } : undefined;
}

const HEADER = 0x70;
const DELIVERY_ANNOTATIONS = 0x71;
const MESSAGE_ANNOTATIONS = 0x72;
const PROPERTIES = 0x73;
const APPLICATION_PROPERTIES = 0x74;
const DATA = 0x75;
const SEQUENCE = 0x76;
const FOOTER = 0x78;
const EMPTY_LIST = 0x45;
const BINARY_8 = 0xa0;
const BINARY_32 = 0xb0;
const LIST_8 = 0xc0;
const MAP_8 = 0xc1;
/** What a constructor with a size of four octets has above the one with a size of one. */
const WIDE = 0x10;
const NOT_A_MAP = "a message section is not a map";
const NONE: readonly SectionRange[] = [];
const NO_FIELDS = Object.freeze({});
const NO_ENTRIES = new AmqpMap();
