import { Buffer } from "node:buffer";
import { encodeMessage, long, symbolMap, timestamp } from "@waybill/amqp";
import type { BrokerReceivedMessage } from "@waybill/broker";
import { ttlOf } from "./time-to-live.js";

/** Placeholder values that occur nowhere else in an encoded front, wide enough for every value. */
const MARKS = {
  ttl: 0xa1a2a3a4,
  deliveryCount: 0xb1b2b3b4,
  sequenceNumber: 0x71c2c3c4c5c6c7c8n,
  enqueuedTime: 0x71d2d3d4d5d6d7d8n,
  enqueuedSequenceNumber: 0x71e2e3e4e5e6e7e8n,
  lockedUntil: 0x71f2f3f4f5f6f7f8n,
} as const;

interface Template {
  readonly bytes: Buffer;
  readonly places: Readonly<Record<keyof typeof MARKS, number>>;
}

/** By whether the message has a time to live and whether it is locked. */
const templates = {
  lasting: { unlocked: makeTemplate(false, false), locked: makeTemplate(false, true) },
  expiring: { unlocked: makeTemplate(true, false), locked: makeTemplate(true, true) },
} as const;

/** Header and annotations of a message with common properties only: a copy of a template with its numbers filled in. */
export function encodePlainFront(message: BrokerReceivedMessage): Uint8Array {
  const { lockedUntil } = message;
  const ttl = ttlOf(message);
  const { unlocked, locked } = ttl === undefined ? templates.lasting : templates.expiring;
  const { bytes, places } = lockedUntil === undefined ? unlocked : locked;
  const front = Buffer.from(bytes);
  if (ttl !== undefined) front.writeUInt32BE(ttl, places.ttl);
  front.writeUInt32BE(message.deliveryCount, places.deliveryCount);
  writeLong(front, Number(message.sequenceNumber), places.sequenceNumber);
  writeLong(front, message.enqueuedTime.getTime(), places.enqueuedTime);
  writeLong(front, Number(message.enqueuedSequenceNumber), places.enqueuedSequenceNumber);
  if (lockedUntil !== undefined) writeLong(front, lockedUntil.getTime(), places.lockedUntil);
  return front;
}

/** Whether a message has common properties only. */
export function isPlain(message: BrokerReceivedMessage): boolean {
  return (
    message.state === "active" &&
    message.scheduledEnqueueTime === undefined &&
    message.partitionKey === undefined &&
    message.viaPartitionKey === undefined &&
    message.deadLetterSource === undefined &&
    message.partitionId === 0
  );
}

/** Writes a safe integer, such as a time or sequence number, without a bigint. */
function writeLong(front: Buffer, value: number, place: number): void {
  front.writeInt32BE(Math.floor(value / 2 ** 32), place);
  front.writeUInt32BE(value >>> 0, place + 4);
}

function makeTemplate(hasTtl: boolean, isLocked: boolean): Template {
  const bytes = Buffer.from(
    encodeMessage({
      header: { ...(hasTtl && { ttl: MARKS.ttl }), deliveryCount: MARKS.deliveryCount },
      messageAnnotations: symbolMap({
        "x-opt-sequence-number": long(MARKS.sequenceNumber),
        "x-opt-enqueued-time": timestamp(MARKS.enqueuedTime),
        "x-opt-enqueue-sequence-number": long(MARKS.enqueuedSequenceNumber),
        ...(isLocked && { "x-opt-locked-until": timestamp(MARKS.lockedUntil) }),
      }),
      body: { kind: "data", sections: [] },
    }),
  );
  const places = Object.fromEntries(
    Object.entries(MARKS).map(([name, mark]) => [name, bytes.indexOf(bytesOf(mark))]),
  );
  return { bytes, places: places as Template["places"] };
}

function bytesOf(mark: number | bigint): Buffer {
  const bytes = Buffer.alloc(typeof mark === "bigint" ? 8 : 4);
  if (typeof mark === "bigint") bytes.writeBigInt64BE(mark);
  else bytes.writeUInt32BE(mark);
  return bytes;
}
