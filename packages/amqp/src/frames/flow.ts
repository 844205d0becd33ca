import type { ByteReader } from "../codec/byte-reader.js";
import type { ByteWriter } from "../codec/byte-writer.js";
import { putUint } from "../codec/encode.js";
import { beginList, endList, FieldReader, falseCode, putByte, trueCode } from "./fields.js";
import { amqpFrame, beginFrame, endFrame } from "./frame.js";
import { flowCode } from "./performatives.js";

/** A flow performative (2.7.4); each connection reuses one object. */
export class FlowFields {
  nextIncomingId: number | undefined = undefined;
  incomingWindow = 0;
  nextOutgoingId = 0;
  outgoingWindow = 0;
  handle: number | undefined = undefined;
  deliveryCount: number | undefined = undefined;
  linkCredit: number | undefined = undefined;
  available: number | undefined = undefined;
  isDraining = false;
  wantsEcho = false;
}

/** Reads the fields after the descriptor. */
export function readFlow(reader: ByteReader, into: FlowFields): void {
  const fields = new FieldReader(reader);
  into.nextIncomingId = fields.uint("flow.next-incoming-id");
  into.incomingWindow = fields.uint("flow.incoming-window") ?? reader.fail("flow lacks incoming-window");
  into.nextOutgoingId = fields.uint("flow.next-outgoing-id") ?? reader.fail("flow lacks next-outgoing-id");
  into.outgoingWindow = fields.uint("flow.outgoing-window") ?? reader.fail("flow lacks outgoing-window");
  into.handle = fields.uint("flow.handle");
  into.deliveryCount = fields.uint("flow.delivery-count");
  into.linkCredit = fields.uint("flow.link-credit");
  into.available = fields.uint("flow.available");
  into.isDraining = fields.boolean("flow.drain");
  into.wantsEcho = fields.boolean("flow.echo");
  fields.leave();
}

/** Appends a flow; without a handle it concerns only the session. */
export function writeFlow(writer: ByteWriter, channel: number, flow: Readonly<FlowFields>): void {
  beginFrame(writer, amqpFrame, channel, 80);
  const list = beginList(writer, flowCode, 11);
  putUint(writer, flow.nextIncomingId);
  putUint(writer, flow.incomingWindow);
  putUint(writer, flow.nextOutgoingId);
  putUint(writer, flow.outgoingWindow);
  putUint(writer, flow.handle);
  putUint(writer, flow.deliveryCount);
  putUint(writer, flow.linkCredit);
  putUint(writer, flow.available);
  putByte(writer, flow.isDraining ? trueCode : falseCode);
  putByte(writer, flow.wantsEcho ? trueCode : falseCode);
  putUint(writer, undefined);
  endList(writer, list);
  endFrame(writer);
}
