import { type Transport, WaybillError } from "@waybill/core";
import { type OptionNames, requireDuration, requireKnownOptions } from "@waybill/core/serializer";
import type { DeliveredMessage } from "@waybill/core/transport";
import { isInstant, isList } from "../census/census-text.js";
import { peekPages } from "../census/peek-pages.js";
import type { FormatReads, ReadRecord, ReadStore } from "./read-record.js";

/** The subject of messages that hold a read record. */
const readRecordSubject = "waybill-reads";

/** Larger bodies are no records: the formats and versions of a chain need little. */
const maxRecordBytes = 1024 * 1024;

/** How long records are kept. */
export interface QueueReadStoreOptions {
  /** In milliseconds. Default: 604,800,000, a week. */
  readonly lifetimeInMs?: number | undefined;
}

const optionNames: OptionNames<QueueReadStoreOptions> = { lifetimeInMs: true };

/**
 * Keeps read records in a queue, as messages that are peeked and never received, and that expire. It may be the queue of the beacons. `list`
 * rejects with `operation-invalid` if a record there cannot be read: without it a verdict could be wrong.
 */
export function queueReadStore(
  transport: Transport,
  queue: string,
  options: QueueReadStoreOptions = {},
): ReadStore & AsyncDisposable {
  requireKnownOptions("queueReadStore", options, optionNames);
  const { lifetimeInMs: timeToLive = 604_800_000 } = options;
  requireDuration("lifetimeInMs", timeToLive, 1);
  const sender = transport.createSender(queue);
  const receiver = transport.createReceiver({ queue }, "peekLock");
  return {
    async record(record, call) {
      const body = new TextEncoder().encode(JSON.stringify(record));
      const labels = { subject: readRecordSubject, contentType: "application/json" };
      await sender.send([{ ...labels, timeToLive, body }], call);
    },
    async list(call) {
      const newest = new Map<string, ReadRecord>();
      for await (const page of peekPages(receiver, { ...call })) {
        for (const message of page) {
          if (message.subject !== readRecordSubject) continue;
          const record = parseRecord(message, queue);
          newest.set(JSON.stringify([record.reader, record.instance, record.since]), record);
        }
      }
      return [...newest.values()];
    },
    async [Symbol.asyncDispose]() {
      await sender.close();
      await receiver.close();
    },
  };
}

function parseRecord({ body, sequenceNumber }: DeliveredMessage, queue: string): ReadRecord {
  try {
    if (body instanceof Uint8Array && body.length <= maxRecordBytes) {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
      const record: unknown = JSON.parse(text, revived);
      if (isRecord(record)) return record;
    }
  } catch {
    // Reported below.
  }
  throw new WaybillError("operation-invalid", `Message ${sequenceNumber} is not a read record; remove it.`, {
    entityPath: queue,
  });
}

function revived(key: string, value: unknown): unknown {
  const isTime = key === "since" || key.endsWith("At");
  return isTime && typeof value === "string" ? new Date(value) : value;
}

function isRecord(value: unknown): value is ReadRecord {
  const record = value as Partial<Record<keyof ReadRecord, unknown>> | null;
  return (
    typeof record?.reader === "string" &&
    typeof record.instance === "string" &&
    isInstant(record.since) &&
    isInstant(record.recordedAt) &&
    isList(record.reads, isFormatReads)
  );
}

function isFormatReads(value: unknown): value is FormatReads {
  const reads = value as Partial<Record<keyof FormatReads, unknown>> | null;
  return (
    isInstant(reads?.lastReadAt) &&
    typeof reads?.count === "number" &&
    [reads.serializer, reads.declared, reads.messageType].every(
      (text) => text === undefined || typeof text === "string",
    ) &&
    (reads.messageVersion === undefined || typeof reads.messageVersion === "number") &&
    (reads.newestSentAt === undefined || isInstant(reads.newestSentAt)) &&
    isList(reads.upcastPath, (version) => typeof version === "number")
  );
}
