import { ByteWriter } from "../codec/byte-writer.js";
import { defineComposite, type FieldsOf } from "../codec/composite.js";
import { decodeValue } from "../codec/decode.js";
import { concatenate } from "../codec/encode.js";
import type { AmqpValue } from "../codec/value.js";

/** 2.7.1. `idleTimeOut` is in milliseconds. */
export const openType = defineComposite("open", 0x10, {
  containerId: "string!",
  hostname: "string",
  maxFrameSize: "uint",
  channelMax: "ushort",
  idleTimeOut: "uint",
  outgoingLocales: "symbols",
  incomingLocales: "symbols",
  offeredCapabilities: "symbols",
  desiredCapabilities: "symbols",
  properties: "map",
});

/** 2.7.2 */
export const beginType = defineComposite("begin", 0x11, {
  remoteChannel: "ushort",
  nextOutgoingId: "uint!",
  incomingWindow: "uint!",
  outgoingWindow: "uint!",
  handleMax: "uint",
  offeredCapabilities: "symbols",
  desiredCapabilities: "symbols",
  properties: "map",
});

/** 2.7.3. `role` is true for a receiver; source and target have their own readers. */
export const attachType = defineComposite("attach", 0x12, {
  name: "string!",
  handle: "uint!",
  role: "boolean!",
  sndSettleMode: "ubyte",
  rcvSettleMode: "ubyte",
  source: "value",
  target: "value",
  unsettled: "map",
  incompleteUnsettled: "boolean",
  initialDeliveryCount: "uint",
  maxMessageSize: "ulong",
  offeredCapabilities: "symbols",
  desiredCapabilities: "symbols",
  properties: "map",
});

/** 2.7.7 */
export const detachType = defineComposite("detach", 0x16, {
  handle: "uint!",
  closed: "boolean",
  error: "value",
});

/** 2.7.8 */
export const endType = defineComposite("end", 0x17, { error: "value" });

/** 2.7.9 */
export const closeType = defineComposite("close", 0x18, { error: "value" });

/** 5.3.3.1 */
export const saslMechanismsType = defineComposite("sasl-mechanisms", 0x40, { mechanisms: "symbols!" });

/** 5.3.3.2 */
export const saslInitType = defineComposite("sasl-init", 0x41, {
  mechanism: "symbol!",
  initialResponse: "binary",
  hostname: "string",
});

/** 5.3.3.3 */
export const saslChallengeType = defineComposite("sasl-challenge", 0x42, { challenge: "binary!" });

/** 5.3.3.4 */
export const saslResponseType = defineComposite("sasl-response", 0x43, { response: "binary!" });

/** 5.3.3.5 */
export const saslOutcomeType = defineComposite("sasl-outcome", 0x44, {
  code: "ubyte!",
  additionalData: "binary",
});

/** Codes of the three performatives with hand-written readers and writers, because they are nearly all of the traffic. */
export const flowCode = 0x13;
export const transferCode = 0x14;
export const dispositionCode = 0x15;

/** Whether a performative carries messages or their states: the frequent ones, with their own readers. */
export function isFrequent(code: number): boolean {
  return code === transferCode || code === dispositionCode || code === flowCode;
}

/** The fields of a peer's open. `idleTimeOut` is in milliseconds. */
export type Open = FieldsOf<typeof openType.fields>;

/** The fields of a peer's begin. */
export type Begin = FieldsOf<typeof beginType.fields>;

/** The fields of a peer's attach; source and target are not decoded. */
export type Attach = FieldsOf<typeof attachType.fields>;

/** Encodes a composite field with its own writer, as a value for another composite. */
export function asValue(write: (writer: ByteWriter) => void): AmqpValue {
  const writer = new ByteWriter(512);
  write(writer);
  return decodeValue(concatenate(writer.take()));
}
