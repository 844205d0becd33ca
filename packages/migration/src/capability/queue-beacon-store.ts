import { type Transport, WaybillError } from "@waybill/core";
import { type OptionNames, requireKnownOptions } from "@waybill/core/serializer";
import type { DeliveredMessage } from "@waybill/core/transport";
import { isList } from "../census/census-text.js";
import { peekPages } from "../census/peek-pages.js";
import { later } from "../census/tally.js";
import type { BeaconStore, CapabilityBeacon } from "./beacon-store.js";

/** The subject of messages that hold a beacon. */
const beaconSubject = "waybill-capability";

const contentType = "application/json";

/** Maximum size of a beacon; far more than the types of one reader need. */
const maxBeaconBytes = 16 * 1024 * 1024;

/** How much of the queue is read. */
export interface QueueBeaconStoreOptions {
  /** Maximum number of messages to peek. A longer queue cannot be listed, since beacons may be behind them. Default: 100 000. */
  readonly maxMessages?: number | undefined;
}

const optionNames: OptionNames<QueueBeaconStoreOptions> = { maxMessages: true };

const defaultMaxMessages = 100_000;

/**
 * Keeps beacons in a queue of their own, as messages that are peeked and never received: each message expires with its beacon, and listing locks
 * nothing. Times are the broker's, whatever the readers' clocks say. The queue must not dead-letter expired messages, or they pile up.
 * `announce` rejects with `message-too-large`, `list` with `operation-invalid` if it cannot see every beacon.
 */
export function queueBeaconStore(
  transport: Transport,
  queue: string,
  options: QueueBeaconStoreOptions = {},
): BeaconStore & AsyncDisposable {
  requireKnownOptions("queueBeaconStore", options, optionNames);
  const { maxMessages = defaultMaxMessages } = options;
  if (!(maxMessages >= 1)) throw new TypeError("maxMessages must be a number from 1.");
  const sender = transport.createSender(queue);
  const receiver = transport.createReceiver({ queue }, "peekLock");
  return {
    expiresBeacons: true,
    async announce(beacon, call) {
      const body = new TextEncoder().encode(JSON.stringify(beacon));
      if (body.length > maxBeaconBytes) {
        throw new WaybillError(
          "message-too-large",
          `the beacon of "${beacon.reader}" ${tooLarge(body.length)}.`,
        );
      }
      const timeToLive = Math.max(1, beacon.expiresAt.getTime() - beacon.announcedAt.getTime());
      await sender.send([{ subject: beaconSubject, contentType, timeToLive, body }], call);
    },
    async list(call) {
      const beacons: CapabilityBeacon[] = [];
      let peeked = 0;
      let brokerNow: Date | undefined;
      for await (const page of peekPages(receiver, { ...call })) {
        peeked += page.length;
        if (peeked > maxMessages) {
          throw unlistable(
            queue,
            `it holds more than ${maxMessages} messages; give beacons a queue of their own`,
          );
        }
        for (const message of page) {
          brokerNow = later(brokerNow, arrivalOf(message));
          const beacon = parseBeacon(message, queue);
          if (beacon !== undefined) beacons.push(beacon);
        }
      }
      // Brokers remove expired messages late. The newest arrival is the latest known time of the broker's clock.
      return beacons.filter(({ expiresAt }) => brokerNow === undefined || expiresAt > brokerNow);
    },
    async [Symbol.asyncDispose]() {
      await sender.close();
      await receiver.close();
    },
  };
}

/** When a message arrived, by the broker's clock; undefined for a scheduled one, which has not arrived yet. */
function arrivalOf({ state, enqueuedTimeUtc }: DeliveredMessage): Date | undefined {
  return state === "scheduled" ? undefined : enqueuedTimeUtc;
}

function tooLarge(bytes: number): string {
  return `has ${bytes} bytes, more than the maximum of ${maxBeaconBytes}`;
}

function unlistable(queue: string, why: string): WaybillError {
  return new WaybillError("operation-invalid", `The beacons in "${queue}" cannot be listed: ${why}.`, {
    entityPath: queue,
  });
}

/** Undefined for other messages, which anybody may have sent there. Throws for a beacon that is too large to read. */
function parseBeacon(message: DeliveredMessage, queue: string): CapabilityBeacon | undefined {
  const { subject, body, sequenceNumber } = message;
  if (subject !== beaconSubject || !(body instanceof Uint8Array)) return undefined;
  if (body.length > maxBeaconBytes) {
    throw unlistable(queue, `message ${sequenceNumber} ${tooLarge(body.length)}; remove it`);
  }
  let beacon: unknown;
  try {
    beacon = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
  return isWireBeacon(beacon) ? { ...beacon, ...timesOf(message, beacon) } : undefined;
}

/** The broker's times; the reader's own only if the broker does not give them. */
function timesOf(
  { enqueuedTimeUtc, expiresAtUtc, timeToLive }: DeliveredMessage,
  beacon: WireBeacon,
): Pick<CapabilityBeacon, "announcedAt" | "expiresAt"> {
  const own = { announcedAt: new Date(beacon.announcedAt), expiresAt: new Date(beacon.expiresAt) };
  if (enqueuedTimeUtc === undefined) return own;
  const lifetimeInMs = timeToLive ?? own.expiresAt.getTime() - own.announcedAt.getTime();
  const expiresAt = expiresAtUtc ?? new Date(enqueuedTimeUtc.getTime() + lifetimeInMs);
  return { announcedAt: enqueuedTimeUtc, expiresAt };
}

type WireBeacon = Omit<CapabilityBeacon, "announcedAt" | "expiresAt"> & {
  readonly announcedAt: string;
  readonly expiresAt: string;
};

function isWireBeacon(value: unknown): value is WireBeacon {
  return (
    isRecord(value) &&
    isRecord(value.capability) &&
    isList(value.entities, (each) => typeof each === "string") &&
    (value.circuits === undefined || isList(value.circuits, isCircuit)) &&
    (value.isWithdrawn === undefined || typeof value.isWithdrawn === "boolean") &&
    typeof value.reader === "string" &&
    typeof value.instance === "string" &&
    isInstant(value.announcedAt) &&
    isInstant(value.expiresAt) &&
    isList(value.capability.mediaTypes, (each) => typeof each === "string") &&
    isList(value.capability.messageTypes, isReadableType)
  );
}

function isReadableType(value: unknown): boolean {
  return isRecord(value) && typeof value.name === "string" && isList(value.versions, isReadableVersion);
}

function isReadableVersion(value: unknown): boolean {
  return isRecord(value) && Number.isSafeInteger(value.version) && isRecord(value.schemas);
}

function isCircuit(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const isText = (text: unknown) => text === undefined || typeof text === "string";
  const { entity, since, messageType, format } = value;
  return typeof entity === "string" && isInstant(since) && isText(messageType) && isText(format);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isInstant(value: unknown): boolean {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}
