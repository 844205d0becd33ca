import { ByteWriter } from "../codec/byte-writer.js";
import { type Composite, type FieldTable, writeComposite, writeDescriptor } from "../codec/composite.js";
import { concatenate, writeValue } from "../codec/encode.js";
import type { AmqpMap, AmqpValue } from "../codec/value.js";
import { headerType, type MessageHeader, type MessageProperties, propertiesType } from "./header.js";
import type { MessageSections, SectionRange } from "./sections.js";

/** The sections before the bare message. An omitted one stays unchanged; `null` removes it. */
export interface MessageFront {
  readonly header?: Partial<MessageHeader> | null;
  readonly deliveryAnnotations?: AmqpMap | null;
  readonly messageAnnotations?: AmqpMap | null;
}

/**
 * The message with changed front sections, as two parts to send one after the other: new sections, and a view on the unchanged rest. The
 * bare message stays byte for byte as sent (3.2).
 */
export function spliceMessage(sections: MessageSections, front: MessageFront): [Uint8Array, Uint8Array] {
  const writer = new ByteWriter(256);
  const { header, deliveryAnnotations, messageAnnotations } = front;
  if (header === undefined) copy(writer, sections, sections.header);
  else if (header !== null) writeComposite(writer, headerType, header);
  if (deliveryAnnotations === undefined) copy(writer, sections, sections.deliveryAnnotations);
  else if (deliveryAnnotations !== null) writeSection(writer, 0x71, deliveryAnnotations);
  if (messageAnnotations === undefined) copy(writer, sections, sections.messageAnnotations);
  else if (messageAnnotations !== null) writeSection(writer, 0x72, messageAnnotations);
  return [concatenate(writer.take()), sections.bytes.subarray(sections.bareStart, sections.end)];
}

/** The parts of a message to encode; `body` contains one value per section of its kind. */
export interface MessageParts extends MessageFront {
  readonly properties?: Partial<MessageProperties>;
  readonly applicationProperties?: AmqpMap | undefined;
  readonly body:
    | { readonly kind: "data"; readonly sections: readonly Uint8Array[] }
    | { readonly kind: "sequence"; readonly sections: readonly (readonly AmqpValue[])[] }
    | { readonly kind: "value"; readonly value: AmqpValue };
  readonly footer?: AmqpMap;
}

/** Encodes a message (3.2), for messages created by a node, such as the responses of a management node. */
export function encodeMessage(parts: MessageParts): Uint8Array {
  const writer = new ByteWriter(512);
  writeMessage(writer, parts);
  return concatenate(writer.take());
}

/** Appends a message (3.2), or the sections in front of a body that follows. */
export function writeMessage(
  writer: ByteWriter,
  parts: Omit<MessageParts, "body"> & Partial<MessageParts>,
): void {
  writeOptional(writer, headerType, parts.header);
  if (parts.deliveryAnnotations) writeSection(writer, 0x71, parts.deliveryAnnotations);
  if (parts.messageAnnotations) writeSection(writer, 0x72, parts.messageAnnotations);
  writeOptional(writer, propertiesType, parts.properties);
  if (parts.applicationProperties) writeSection(writer, 0x74, parts.applicationProperties);
  if (parts.body) writeBody(writer, parts.body);
  if (parts.footer) writeSection(writer, 0x78, parts.footer);
}

function writeBody(writer: ByteWriter, body: MessageParts["body"]): void {
  if (body.kind === "value") writeSection(writer, 0x77, body.value);
  else if (body.kind === "data") for (const section of body.sections) writeSection(writer, 0x75, section);
  else for (const section of body.sections) writeSection(writer, 0x76, section);
}

function copy(writer: ByteWriter, sections: MessageSections, range: SectionRange | undefined): void {
  if (range) writer.append(sections.bytes.subarray(range.start, range.end));
}

function writeOptional<Table extends FieldTable>(
  writer: ByteWriter,
  type: Composite<Table>,
  values: Parameters<typeof writeComposite<Table>>[2] | null | undefined,
): void {
  if (values) writeComposite(writer, type, values);
}

function writeSection(writer: ByteWriter, code: number, value: AmqpValue): void {
  writeDescriptor(writer, code);
  writeValue(writer, value);
}
