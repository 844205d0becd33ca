import type { ByteReader } from "../codec/byte-reader.js";
import type { ByteWriter } from "../codec/byte-writer.js";
import { putUint } from "../codec/encode.js";
import { acceptedState, type DeliveryState, toDeliveryState } from "./delivery-state.js";
import { FieldReader, falseCode, putByte, trueCode } from "./fields.js";
import { amqpFrame, beginFrame, endFrame } from "./frame.js";
import { dispositionCode } from "./performatives.js";

/** A disposition performative (2.7.6); each connection reuses one object. */
export class DispositionFields {
  isFromReceiver = false;
  first = 0;
  last = 0;
  isSettled = false;
  state: DeliveryState | undefined = undefined;
}

const acceptedForms: readonly Uint8Array[] = [
  Buffer.from([0x00, 0x53, 0x24, 0x45]),
  Buffer.from([0x00, 0x53, 0x24, 0xc0, 0x01, 0x00]),
];

/** Reads the fields after the descriptor. */
export function readDisposition(reader: ByteReader, into: DispositionFields): void {
  const fields = new FieldReader(reader);
  into.isFromReceiver = fields.boolean("disposition.role");
  into.first = fields.uint("disposition.first") ?? reader.fail("disposition lacks its mandatory field first");
  into.last = fields.uint("disposition.last") ?? into.first;
  into.isSettled = fields.boolean("disposition.settled");
  into.state = acceptedForms.some((form) => fields.matches(form))
    ? acceptedState
    : toDeliveryState(fields.value());
  fields.leave();
}

/** Appends a disposition for the deliveries `first` to `last`, both inclusive. */
export function writeDisposition(
  writer: ByteWriter,
  channel: number,
  disposition: {
    readonly isFromReceiver: boolean;
    readonly first: number;
    readonly last: number;
    readonly isSettled: boolean;
    readonly encodedState: Uint8Array | undefined;
  },
): void {
  const { first, last, isSettled, encodedState } = disposition;
  beginFrame(writer, amqpFrame, channel, 40 + (encodedState?.length ?? 0));
  // A wide list, because a rejection's description may be long.
  const start = writer.position;
  writer.put(head);
  putByte(writer, disposition.isFromReceiver ? trueCode : falseCode);
  putUint(writer, first);
  putUint(writer, last);
  putByte(writer, isSettled ? trueCode : falseCode);
  if (encodedState) writer.put(encodedState);
  else putUint(writer, undefined);
  writer.buffer.writeUInt32BE(writer.position - start - 8, start + 4);
  endFrame(writer);
}

/** Descriptor and head of a list of five items. */
const head = Buffer.from([0x00, 0x53, dispositionCode, 0xd0, 0, 0, 0, 0, 0, 0, 0, 5]);
