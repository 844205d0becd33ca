import type { ByteWriter } from "../codec/byte-writer.js";
import { type Composite, type FieldsOf, type FieldTable, writeComposite } from "../codec/composite.js";

/** Frame types (2.3.1). */
export const amqpFrame = 0x00;
export const saslFrame = 0x01;

/** Maximum frame size that every peer must accept (2.7.1). */
export const minMaxFrameSize = 512;

/** Protocol ids of the protocol header (2.2, 5.2.1, 5.3.2). */
export const amqpProtocol = 0x00;
export const saslProtocol = 0x03;

/** "AMQP", the protocol's id and the version 1.0.0 (2.2). */
export function protocolHeader(protocolId: number): Uint8Array {
  return Buffer.from([0x41, 0x4d, 0x51, 0x50, protocolId, 1, 0, 0]);
}

/** Starts a frame with room for `size` bytes; {@link endFrame} fills in its size. */
export function beginFrame(writer: ByteWriter, type: number, channel: number, size = 8): void {
  writer.mark = writer.position;
  writer.ensure(size);
  const { buffer, position } = writer;
  buffer[position + 4] = 2;
  buffer[position + 5] = type;
  buffer[position + 6] = channel >> 8;
  buffer[position + 7] = channel & 0xff;
  writer.position = position + 8;
}

/** Ends a frame; its payload of `payloadSize` bytes must be appended next. */
export function endFrame(writer: ByteWriter, payloadSize = 0): void {
  writer.buffer.writeUInt32BE(writer.position - writer.mark + payloadSize, writer.mark);
  writer.mark = writer.position;
}

/** Appends a frame whose body is one performative. */
export function writeFrame<Table extends FieldTable>(
  writer: ByteWriter,
  type: number,
  channel: number,
  composite: Composite<Table>,
  fields: Partial<FieldsOf<Table>>,
): void {
  beginFrame(writer, type, channel);
  writeComposite(writer, composite, fields);
  endFrame(writer);
}

/** Appends an empty frame, as a heartbeat (2.4.5). */
export function writeHeartbeat(writer: ByteWriter): void {
  beginFrame(writer, amqpFrame, 0);
  endFrame(writer);
}
