import type { Connection, ConnectionHandler, IncomingDelivery, ReceiverLink, SenderLink } from "./api.js";
import { ByteReader } from "./codec/byte-reader.js";
import { ByteWriter } from "./codec/byte-writer.js";
import {
  type Composite,
  type FieldsOf,
  type FieldTable,
  readDescriptor,
  readFields,
} from "./codec/composite.js";
import { readValue } from "./codec/decode.js";
import { encodeValue } from "./codec/encode.js";
import { type AmqpValue, described } from "./codec/value.js";
import { createConnection } from "./connection/connection.js";
import type { ConnectionOptions } from "./connection/connection-options.js";
import { type AmqpError, toAmqpError } from "./frames/amqp-error.js";
import { FlowFields, writeFlow } from "./frames/flow.js";
import { amqpFrame, beginFrame, endFrame, protocolHeader, writeFrame } from "./frames/frame.js";
import { attachType, beginType, type detachType, type endType, openType } from "./frames/performatives.js";

/** A peer that writes raw frames, to send what real endpoints never send. */
export class RawPeer {
  readonly server: Connection;
  readonly links: (SenderLink | ReceiverLink)[] = [];
  readonly deliveries: IncomingDelivery[] = [];
  onLink: (link: SenderLink | ReceiverLink) => void = (link) => link.accept({ creditWindow: 10 });

  constructor(options: Partial<ConnectionOptions> = {}, more: ConnectionHandler = {}) {
    const handler = {
      ...more,
      onLink: (link: SenderLink | ReceiverLink) => {
        this.links.push(link);
        if (link.role === "receiver") link.handler.onTransfer = (delivery) => this.deliveries.push(delivery);
        this.onLink(link);
      },
    };
    this.server = createConnection({ containerId: "server", ...options, handler });
    this.server.receive(protocolHeader(0));
  }

  send<T extends FieldTable>(composite: Composite<T>, fields: Partial<FieldsOf<T>>, channel = 0): this {
    const writer = new ByteWriter(256);
    writeFrame(writer, amqpFrame, channel, composite, fields);
    return this.write(Buffer.concat(writer.take()));
  }

  /** A frame with any body. */
  frame(body: Uint8Array, channel = 0, type = amqpFrame): this {
    const writer = new ByteWriter(256);
    beginFrame(writer, type, channel);
    endFrame(writer, body.length);
    writer.append(body);
    return this.write(Buffer.concat(writer.take()));
  }

  list(code: number, fields: AmqpValue[], payload = ""): this {
    return this.frame(Buffer.concat([encodeValue(described(BigInt(code), fields)), Buffer.from(payload)]));
  }

  flow(fields: Partial<FlowFields>): this {
    const writer = new ByteWriter(256);
    writeFlow(writer, 0, Object.assign(new FlowFields(), { nextIncomingId: 0, incomingWindow: 100 }, fields));
    return this.write(Buffer.concat(writer.take()));
  }

  write(bytes: Uint8Array): this {
    this.server.receive(bytes);
    return this;
  }

  open(): this {
    return this.send(openType, { containerId: "raw" });
  }

  begin(channel = 0): this {
    return this.send(beginType, { nextOutgoingId: 0, incomingWindow: 100, outgoingWindow: 100 }, channel);
  }

  attach(fields: Partial<FieldsOf<typeof attachType.fields>> = {}): this {
    return this.send(attachType, {
      name: "link",
      handle: 0,
      role: false,
      initialDeliveryCount: 0,
      ...fields,
    });
  }

  /** The frames written by the server since the last call. */
  answers(): { code: number; body: ByteReader }[] {
    const bytes = Buffer.concat(this.server.takeOutput());
    const frames: { code: number; body: ByteReader }[] = [];
    for (let at = 0; at < bytes.length; ) {
      const isHeader = bytes.toString("latin1", at, at + 4) === "AMQP";
      const size = isHeader ? 8 : bytes.readUInt32BE(at);
      const body = new ByteReader(bytes, at + 8, at + size);
      if (size > 8) frames.push({ code: readDescriptor(body), body });
      at += size;
    }
    return frames;
  }

  /** The error in the server's last close, end or detach. */
  error(composite: Composite<{ readonly error: "value" }> | typeof detachType): AmqpError | undefined {
    const answer = this.answers().findLast(({ code }) => code === composite.code);
    if (!answer) return undefined;
    return toAmqpError(readFields(answer.body, composite as typeof endType, readValue(answer.body)).error);
  }
}

export const uint = (value: number): AmqpValue => ({ type: "uint", value });
/** A single-frame transfer: handle, delivery-id, tag. */
export const transfer = (handle: number, id: number): AmqpValue[] => [
  uint(handle),
  uint(id),
  Buffer.from([id]),
];
export const transferCode = 0x14;
export const dispositionCode = 0x15;

/** A frame with a transfer of a complete message on handle 0. */
export function transferFrame(id: number): Buffer {
  const body = encodeValue(described(BigInt(transferCode), transfer(0, id)));
  const head = Buffer.from([0, 0, 0, 8 + body.length, 2, amqpFrame, 0, 0]);
  return Buffer.concat([head, body]);
}
