import type { CallOptions, DeliveredMessage, Transport, TransportReceiver } from "@waybill/core";
import type { BeaconStore, CapabilityBeacon } from "./beacon-store.js";

/** The subject of messages that hold a beacon. */
const beaconSubject = "waybill-capability";

const contentType = "application/json";
const pageSize = 100;

/** How many messages are looked at, and how large they may be: whatever else lies in the queue costs no more. */
const maxMessages = 10_000;
const maxBeaconBytes = 256 * 1024;

/**
 * Beacons in a queue of their own, as messages that nobody receives: each lives until its beacon expires, and is read by peeking, so that
 * listing needs no lock and disturbs no one. The queue must not dead-letter expired messages, or those pile up.
 */
export function queueBeaconStore(transport: Transport, queue: string): BeaconStore & AsyncDisposable {
  const sender = transport.createSender(queue);
  const receiver = transport.createReceiver({ queue }, "peekLock");
  return {
    async announce(beacon, options) {
      const body = new TextEncoder().encode(JSON.stringify(beacon));
      const timeToLive = Math.max(1, beacon.expiresAt.getTime() - beacon.announcedAt.getTime());
      await sender.send([{ subject: beaconSubject, contentType, timeToLive, body }], options);
    },
    async list(options) {
      const beacons: CapabilityBeacon[] = [];
      for await (const message of peekAll(receiver, options)) {
        const beacon = parseBeacon(message);
        if (beacon !== undefined) beacons.push(beacon);
      }
      return beacons;
    },
    async [Symbol.asyncDispose]() {
      await sender.close();
      await receiver.close();
    },
  };
}

async function* peekAll(
  receiver: TransportReceiver,
  options: CallOptions = {},
): AsyncGenerator<DeliveredMessage> {
  let fromSequenceNumber: bigint | undefined;
  for (let count = 0; count < maxMessages; count += pageSize) {
    const page = await receiver.peek({
      fromSequenceNumber: fromSequenceNumber ?? 0n,
      maxMessages: pageSize,
      abortSignal: options.abortSignal,
    });
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    fromSequenceNumber = last.sequenceNumber + 1n;
  }
}

/** Undefined for what is no beacon: anybody may have put it there. */
function parseBeacon({ subject, body }: DeliveredMessage): CapabilityBeacon | undefined {
  if (subject !== beaconSubject || !(body instanceof Uint8Array) || body.length > maxBeaconBytes)
    return undefined;
  let beacon: unknown;
  try {
    beacon = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
  if (!isWireBeacon(beacon)) return undefined;
  return { ...beacon, announcedAt: new Date(beacon.announcedAt), expiresAt: new Date(beacon.expiresAt) };
}

type WireBeacon = Omit<CapabilityBeacon, "announcedAt" | "expiresAt"> & {
  readonly announcedAt: string;
  readonly expiresAt: string;
};

function isWireBeacon(value: unknown): value is WireBeacon {
  if (!isRecord(value) || !isRecord(value.capability)) return false;
  const { mediaTypes, messageTypes } = value.capability;
  return (
    typeof value.reader === "string" &&
    typeof value.instance === "string" &&
    isInstant(value.announcedAt) &&
    isInstant(value.expiresAt) &&
    isListOf(mediaTypes, (each) => typeof each === "string") &&
    isListOf(messageTypes, isReadableType)
  );
}

function isReadableType(value: unknown): boolean {
  return isRecord(value) && typeof value.name === "string" && isListOf(value.versions, isReadableVersion);
}

function isReadableVersion(value: unknown): boolean {
  return isRecord(value) && Number.isSafeInteger(value.version) && isRecord(value.schemas);
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isInstant(value: unknown): boolean {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}
