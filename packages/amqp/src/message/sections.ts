import { ByteReader } from "../codec/byte-reader.js";
import { readDescriptor, readFields } from "../codec/composite.js";
import { readValue, skipValue } from "../codec/decode.js";
import { AmqpMap, type AmqpValue } from "../codec/value.js";
import { headerType, type MessageHeader, type MessageProperties, propertiesType } from "./header.js";

/** Where a section, its descriptor included, lies in the message: `start` inclusive, `end` exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The kind of a message's body (3.2): at most one kind occurs; `none` is a message without body sections. */
export type BodyKind = "data" | "sequence" | "value" | "none";

/**
 * A message's sections found by their sizes (3.2), nothing decoded. The accessors decode when asked and throw
 * `AmqpDecodeError`; the body is never touched.
 */
export class MessageSections {
  /** The whole message. Ranges are offsets into it. */
  readonly bytes: Uint8Array;
  readonly header: ByteRange | undefined = undefined;
  readonly deliveryAnnotations: ByteRange | undefined = undefined;
  readonly messageAnnotations: ByteRange | undefined = undefined;
  readonly properties: ByteRange | undefined = undefined;
  readonly applicationProperties: ByteRange | undefined = undefined;
  readonly body: readonly ByteRange[] = NONE;
  readonly bodyKind: BodyKind = "none";
  readonly footer: ByteRange | undefined = undefined;

  /** Throws `AmqpDecodeError` when the bytes are not sections in the order of 3.2. */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    const reader = new ByteReader(bytes);
    let previous = 0;
    while (reader.position < reader.end) {
      const start = reader.position;
      const code = readDescriptor(reader);
      if (code < HEADER || code > FOOTER) reader.fail("a message section has an unknown descriptor");
      if (code < previous || (code === previous && code !== DATA && code !== SEQUENCE)) {
        reader.fail("message sections are out of order");
      }
      skipValue(reader);
      const range = { start, end: reader.position };
      if (code === HEADER) this.header = range;
      else if (code === DELIVERY_ANNOTATIONS) this.deliveryAnnotations = range;
      else if (code === MESSAGE_ANNOTATIONS) this.messageAnnotations = range;
      else if (code === PROPERTIES) this.properties = range;
      else if (code === APPLICATION_PROPERTIES) this.applicationProperties = range;
      else if (code === FOOTER) this.footer = range;
      else if (code === previous) (this.body as ByteRange[]).push(range);
      else if (this.body !== NONE) reader.fail("a message mixes kinds of body sections");
      else {
        this.body = [range];
        this.bodyKind = code === DATA ? "data" : code === SEQUENCE ? "sequence" : "value";
      }
      previous = code;
    }
  }

  /** Offset of the bare message: what follows header and annotations (3.2). */
  get bareStart(): number {
    return (this.messageAnnotations ?? this.deliveryAnnotations ?? this.header)?.end ?? 0;
  }

  decodeHeader(): MessageHeader | undefined {
    return this.#read(this.header, (reader) => readFields(reader, headerType, readValue(reader)));
  }

  decodeDeliveryAnnotations(): AmqpMap | undefined {
    return this.#read(this.deliveryAnnotations, readMap);
  }

  decodeMessageAnnotations(): AmqpMap | undefined {
    return this.#read(this.messageAnnotations, readMap);
  }

  decodeProperties(): MessageProperties | undefined {
    return this.#read(this.properties, (reader) => readFields(reader, propertiesType, readValue(reader)));
  }

  decodeApplicationProperties(): AmqpMap | undefined {
    return this.#read(this.applicationProperties, readMap);
  }

  /** Where the bytes of a body lie that is one data section; `undefined` for every other body. */
  get data(): ByteRange | undefined {
    if (this.bodyKind !== "data" || this.body.length > 1) return undefined;
    const { start, end } = this.body[0]!;
    const reader = new ByteReader(this.bytes, start, end);
    readDescriptor(reader);
    const code = reader.readUint8();
    if (code !== 0xa0 && code !== 0xb0) return undefined;
    reader.advance(code === 0xa0 ? 1 : 4);
    return { start: reader.position, end };
  }

  /** The values of the body sections: the binary of each data section, each list, or the one value. */
  decodeBody(): readonly AmqpValue[] {
    return this.body.map((range) => this.#read(range, readValue) as AmqpValue);
  }

  #read<T>(range: ByteRange | undefined, read: (reader: ByteReader) => T): T | undefined {
    if (!range) return undefined;
    const reader = new ByteReader(this.bytes, range.start, range.end);
    readDescriptor(reader);
    return read(reader);
  }
}

/** Finds the sections of an encoded message (3.2). Throws `AmqpDecodeError` when it is malformed. */
export function scanMessage(bytes: Uint8Array): MessageSections {
  return new MessageSections(bytes);
}

const HEADER = 0x70;
const DELIVERY_ANNOTATIONS = 0x71;
const MESSAGE_ANNOTATIONS = 0x72;
const PROPERTIES = 0x73;
const APPLICATION_PROPERTIES = 0x74;
const DATA = 0x75;
const SEQUENCE = 0x76;
const FOOTER = 0x78;
const NONE: readonly ByteRange[] = [];

function readMap(reader: ByteReader): AmqpMap {
  const value = readValue(reader);
  return value instanceof AmqpMap ? value : reader.fail("a message section is not a map");
}
