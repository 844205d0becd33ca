import { Buffer } from "node:buffer";
import { encodeMessage, long, symbolMap, timestamp, uuid } from "@waybill/amqp";
import type { BrokerReceivedMessage } from "@waybill/broker";
import { stampsOf } from "@waybill/broker/front-end";
import { ttlOf } from "./time-to-live.js";
import type { annotationFields } from "./wire-places.js";

/** Placeholder values that occur nowhere else in an encoded front, wide enough for every value. */
const marks = {
  ttl: 0xa1a2a3a4,
  deliveryCount: 0xb1b2b3b4,
  sequenceNumber: 0x71c2c3c4c5c6c7c8n,
  enqueuedTime: 0x71d2d3d4d5d6d7d8n,
  enqueuedSequenceNumber: 0x71e2e3e4e5e6e7e8n,
  lockedUntil: 0x71f2f3f4f5f6f7f8n,
} as const;
const lockTokenMark = "91929394-9596-4798-999a-9b9c9d9e9fa0";

interface Template {
  readonly bytes: Buffer;
  readonly places: Readonly<Record<keyof typeof marks | "lockToken", number>>;
}

type AnnotationName = (typeof annotationFields)[number][0];

/** By whether the message has a time to live and whether it is locked. */
const templates = {
  lasting: { unlocked: makeTemplate(false, false), locked: makeTemplate(false, true) },
  expiring: { unlocked: makeTemplate(true, false), locked: makeTemplate(true, true) },
} as const;

/** Header and annotations of a message with common properties only: a copy of a template with its numbers filled in. */
export function encodePlainFront(message: BrokerReceivedMessage): Uint8Array {
  const { sequenceNumber, enqueuedSequenceNumber, enqueuedTime, lockedUntil } = stampsOf(message);
  const ttl = ttlOf(message);
  const { unlocked, locked } = ttl === undefined ? templates.lasting : templates.expiring;
  // Peeked messages and those that are deleted at once have no lock.
  const { bytes, places } = lockedUntil === undefined ? unlocked : locked;
  const front = Buffer.allocUnsafe(bytes.length);
  front.set(bytes);
  if (ttl !== undefined) front.writeUInt32BE(ttl, places.ttl);
  front.writeUInt32BE(message.deliveryCount, places.deliveryCount);
  writeLong(front, sequenceNumber, places.sequenceNumber);
  writeLong(front, enqueuedTime, places.enqueuedTime);
  writeLong(front, enqueuedSequenceNumber, places.enqueuedSequenceNumber);
  if (lockedUntil === undefined) return front;
  writeLong(front, lockedUntil, places.lockedUntil);
  message.lock?.writeToken(front, places.lockToken);
  return front;
}

/** Whether a message has common properties only. */
export function isPlain(message: BrokerReceivedMessage): boolean {
  const { state, deadLetterSource, partitionId } = message;
  if (state !== "active" || deadLetterSource !== undefined || partitionId !== 0) return false;
  const annotations: Record<AnnotationName, unknown> = {
    scheduledEnqueueTime: message.scheduledEnqueueTime,
    partitionKey: message.partitionKey,
    viaPartitionKey: message.viaPartitionKey,
  };
  for (const name in annotations) if (annotations[name as AnnotationName] !== undefined) return false;
  return true;
}

/** Writes a safe integer, such as a time or sequence number, without a bigint. */
function writeLong(front: Buffer, value: number, place: number): void {
  front.writeInt32BE(Math.floor(value / 2 ** 32), place);
  front.writeUInt32BE(value >>> 0, place + 4);
}

function makeTemplate(hasTtl: boolean, isLocked: boolean): Template {
  const bytes = Buffer.from(
    encodeMessage({
      header: { ...(hasTtl && { ttl: marks.ttl }), deliveryCount: marks.deliveryCount },
      ...(isLocked && { deliveryAnnotations: symbolMap({ "x-opt-lock-token": uuid(lockTokenMark) }) }),
      messageAnnotations: symbolMap({
        "x-opt-sequence-number": long(marks.sequenceNumber),
        "x-opt-enqueued-time": timestamp(marks.enqueuedTime),
        "x-opt-enqueue-sequence-number": long(marks.enqueuedSequenceNumber),
        ...(isLocked && { "x-opt-locked-until": timestamp(marks.lockedUntil) }),
      }),
      body: { kind: "data", sections: [] },
    }),
  );
  const places = Object.fromEntries(
    Object.entries(marks).map(([name, mark]) => [name, bytes.indexOf(bytesOf(mark))]),
  );
  const lockToken = bytes.indexOf(Buffer.from(lockTokenMark.replaceAll("-", ""), "hex"));
  return { bytes, places: { ...places, lockToken } as Template["places"] };
}

function bytesOf(mark: number | bigint): Buffer {
  const bytes = Buffer.alloc(typeof mark === "bigint" ? 8 : 4);
  if (typeof mark === "bigint") bytes.writeBigInt64BE(mark);
  else bytes.writeUInt32BE(mark);
  return bytes;
}
