import type { ApplicationProperties, ApplicationPropertyValue, EncodedMessage } from "@waybill/core";
import { type PropertiesName, propertiesFields, sentProperties } from "./sent-properties.js";

/** Type codes and section descriptors (AMQP 1.0, parts 1.6 and 3.2). */
const code = {
  null: 0x40,
  true: 0x41,
  false: 0x42,
  uint: 0x70,
  int: 0x71,
  double: 0x82,
  binary32: 0xb0,
  string32: 0xb1,
  symbol32: 0xb3,
  list32: 0xd0,
  map32: 0xd1,
  properties: 0x73,
  applicationProperties: 0x74,
  data: 0x75,
} as const;

/** Upper bounds of the overhead: of a section, of a string (plus three bytes per UTF-16 unit), and of a property. */
const sectionBytes = 16;
const textBytes = 5;

/** Spare room in the buffer beyond the usual batch size: for differences between messages, and for the upper bound of the next one. */
const spareBytes = 16_384;

/** Below this, rhea, the AMQP library of the SDK, writes integers as long. */
const minInt = -(2 ** 31) + 1;

/** A message that a {@link BatchWriter} can write. */
export type PlainMessage = EncodedMessage & { readonly body: Uint8Array };

/**
 * Whether a message is a common one that this writer encodes: all its properties are strings in the properties section, or application
 * properties that are strings, booleans, 32-bit integers or fractions.
 */
export function isPlain(message: EncodedMessage): message is PlainMessage {
  for (const name in message) {
    const value = message[name as keyof EncodedMessage];
    if (value !== undefined && !isPlainProperty(name, value)) return false;
  }
  return true;
}

function isPlainProperty(name: string, value: unknown): boolean {
  if (name === "body") return value instanceof Uint8Array;
  switch (sentProperties[name as keyof typeof sentProperties]?.section) {
    case "properties":
      return typeof value === "string";
    case "applicationProperties":
      return Object.values(value as ApplicationProperties).every(isPlainValue);
    default:
      return false;
  }
}

function isPlainValue(value: ApplicationPropertyValue): boolean {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value !== "number" || Object.is(value, -0) || Number.isNaN(value)) return false;
  return !Number.isInteger(value) || (value > minInt && value < 2 ** 32);
}

function maxBytesOf(message: PlainMessage): number {
  let size = 4 * sectionBytes + 13 * textBytes + message.body.length;
  for (const name of propertiesFields)
    if (name !== undefined) size += 3 * (textOf(message, name)?.length ?? 0);
  const { applicationProperties } = message;
  for (const name in applicationProperties) {
    const value = applicationProperties[name];
    size += 2 * textBytes + 3 * name.length + (typeof value === "string" ? 3 * value.length : 8);
  }
  return size;
}

/** A property in the properties section: a plain message has only strings there. */
function textOf(message: PlainMessage, name: PropertiesName): string | undefined {
  return message[name] as string | undefined;
}

/**
 * Encodes a batch as the SDK does, in one pass and with one copy of each body: an envelope with the properties of the first message, and
 * one data section per encoded message, which is the batch format of Service Bus. It writes front to back and fills in lengths once they
 * are known.
 */
export class BatchWriter {
  #bytes: Buffer;
  #at = 0;

  /** `usualBytes` is the typical size of such batches; the buffer grows beyond it. */
  constructor(first: PlainMessage, usualBytes: number) {
    const roomBytes = Math.max(usualBytes + spareBytes, maxBytesOf(first));
    this.#bytes = Buffer.allocUnsafeSlow(roomBytes);
    this.#front(first);
  }

  get length(): number {
    return this.#at;
  }

  /** Appends a message unless the batch would exceed `maxBytes`. Returns whether it was appended. */
  tryAppend(message: PlainMessage, maxBytes: number): boolean {
    const before = this.#at;
    if (before + message.body.length > maxBytes) return false;
    this.#makeRoom(maxBytesOf(message));
    this.#entry(message);
    if (this.#at <= maxBytes) return true;
    this.#at = before;
    return false;
  }

  /** The bytes written so far. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  #makeRoom(size: number): void {
    if (this.#at + size <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#at + size));
    larger.set(this.bytes());
    this.#bytes = larger;
  }

  #entry(message: PlainMessage): void {
    const start = this.#binary(code.data);
    this.#front(message);
    const bodyStart = this.#binary(code.data);
    this.#bytes.set(message.body, this.#at);
    this.#at += message.body.length;
    this.#close(bodyStart);
    this.#close(start);
  }

  #front(message: PlainMessage): void {
    this.#properties(message);
    const { applicationProperties } = message;
    if (applicationProperties !== undefined) this.#applicationProperties(applicationProperties);
  }

  #properties(message: PlainMessage): void {
    this.#descriptor(code.properties);
    const start = this.#open(code.list32);
    this.#uint32(propertiesFields.length);
    for (const name of propertiesFields) {
      const text = name && textOf(message, name);
      if (text === undefined) this.#byte(code.null);
      else this.#text(name === "contentType" ? code.symbol32 : code.string32, text);
    }
    this.#close(start);
  }

  #applicationProperties(properties: NonNullable<EncodedMessage["applicationProperties"]>): void {
    const names = Object.keys(properties);
    this.#descriptor(code.applicationProperties);
    const start = this.#open(code.map32);
    this.#uint32(2 * names.length);
    for (const name of names) {
      this.#text(code.string32, name);
      this.#value(properties[name] ?? null);
    }
    this.#close(start);
  }

  #value(value: ApplicationPropertyValue): void {
    if (typeof value === "string") this.#text(code.string32, value);
    else if (typeof value === "number") this.#number(value);
    else if (value === null) this.#byte(code.null);
    else this.#byte(value ? code.true : code.false);
  }

  #number(value: number): void {
    if (!Number.isInteger(value)) {
      this.#byte(code.double);
      this.#at = this.#bytes.writeDoubleBE(value, this.#at);
      return;
    }
    this.#byte(value > 0 ? code.uint : code.int);
    this.#uint32(value >>> 0);
  }

  #text(typeCode: number, text: string): void {
    const start = this.#open(typeCode);
    this.#at += this.#bytes.write(text, this.#at);
    this.#close(start);
  }

  #binary(descriptor: number): number {
    this.#descriptor(descriptor);
    return this.#open(code.binary32);
  }

  #descriptor(descriptor: number): void {
    this.#byte(0x00);
    this.#byte(0x53);
    this.#byte(descriptor);
  }

  /** Reserves room for a length; returns the offset from which the length is counted. */
  #open(typeCode: number): number {
    this.#byte(typeCode);
    this.#at += 4;
    return this.#at;
  }

  #close(start: number): void {
    this.#bytes.writeUInt32BE(this.#at - start, start - 4);
  }

  #uint32(value: number): void {
    this.#at = this.#bytes.writeUInt32BE(value, this.#at);
  }

  #byte(value: number): void {
    this.#bytes[this.#at++] = value;
  }
}
