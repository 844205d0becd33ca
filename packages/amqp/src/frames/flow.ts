import type { ByteReader } from "../codec/byte-reader.js";
import type { ByteWriter } from "../codec/byte-writer.js";
import { putUint } from "../codec/encode.js";
import { beginList, endList, FALSE, FieldReader, putByte, TRUE } from "./fields.js";
import { AMQP_FRAME, beginFrame, endFrame } from "./frame.js";
import { FLOW } from "./performatives.js";

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
  beginFrame(writer, AMQP_FRAME, channel, 80);
  const list = beginList(writer, FLOW, 11);
  putUint(writer, flow.nextIncomingId);
  putUint(writer, flow.incomingWindow);
  putUint(writer, flow.nextOutgoingId);
  putUint(writer, flow.outgoingWindow);
  putUint(writer, flow.handle);
  putUint(writer, flow.deliveryCount);
  putUint(writer, flow.linkCredit);
  putUint(writer, flow.available);
  putByte(writer, flow.isDraining ? TRUE : FALSE);
  putByte(writer, flow.wantsEcho ? TRUE : FALSE);
  putUint(writer, undefined);
  endList(writer, list);
  endFrame(writer);
}
