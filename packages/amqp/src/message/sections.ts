import { ByteReader, toBuffer } from "../codec/byte-reader.js";
import { readDescriptor, readFields } from "../codec/composite.js";
import { readValue, skipValue } from "../codec/decode.js";
import { AmqpDecodeError } from "../codec/decode-error.js";
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
  readonly header: ByteRange | undefined;
  readonly deliveryAnnotations: ByteRange | undefined;
  readonly messageAnnotations: ByteRange | undefined;
  readonly properties: ByteRange | undefined;
  readonly applicationProperties: ByteRange | undefined;
  readonly body: readonly ByteRange[];
  readonly bodyKind: BodyKind;
  readonly footer: ByteRange | undefined;

  /** Throws `AmqpDecodeError` when the bytes are not sections in the order of 3.2. */
  constructor(bytes: Uint8Array) {
    const found = scan(bytes);
    const [header, deliveryAnnotations, messageAnnotations, properties, applicationProperties] =
      found.sections;
    this.bytes = bytes;
    this.header = header;
    this.deliveryAnnotations = deliveryAnnotations;
    this.messageAnnotations = messageAnnotations;
    this.properties = properties;
    this.applicationProperties = applicationProperties;
    this.body = found.body;
    this.bodyKind = found.bodyKind;
    this.footer = found.sections[FOOTER - HEADER];
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
const DATA = 0x75;
const SEQUENCE = 0x76;
const VALUE = 0x77;
const FOOTER = 0x78;

interface Found {
  /** By descriptor, counted from that of the header. */
  readonly sections: (ByteRange | undefined)[];
  readonly body: ByteRange[];
  bodyKind: BodyKind;
}

function scan(bytes: Uint8Array): Found {
  const reader = new ByteReader(toBuffer(bytes));
  const found: Found = { sections: Array(FOOTER - HEADER + 1).fill(undefined), body: [], bodyKind: "none" };
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
    if (code >= DATA && code <= VALUE) addBody(found, code, range);
    else found.sections[code - HEADER] = range;
    previous = code;
  }
  return found;
}

function addBody(found: Found, code: number, range: ByteRange): void {
  const kind = code === DATA ? "data" : code === SEQUENCE ? "sequence" : "value";
  if (found.bodyKind !== "none" && found.bodyKind !== kind) {
    throw new AmqpDecodeError("a message mixes kinds of body sections");
  }
  found.bodyKind = kind;
  found.body.push(range);
}

function readMap(reader: ByteReader): AmqpMap {
  const value = readValue(reader);
  return value instanceof AmqpMap ? value : reader.fail("a message section is not a map");
}
