import type { DeserializationOutcome, EncodedMessage } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import { later } from "../census/tally.js";
import type { FormatReads } from "./read-record.js";

/** Counts what was read by format and version. Serializers, types and versions are those of the chain, so it stays small. */
export class ReadTally {
  readonly #reads = new Map<string, FormatReads>();

  /** Counts a message that was read; others need repair, not a format. */
  add(message: EncodedMessage, { status, report }: DeserializationOutcome, now: Date): void {
    if (status !== "decoded") return;
    const { serializer, declared, messageType, messageVersion, upcastPath } = report;
    const key = JSON.stringify([serializer, declared, messageType, messageVersion]);
    const known = this.#reads.get(key);
    this.#reads.set(key, {
      ...{ serializer, declared, messageType, messageVersion, upcastPath },
      count: (known?.count ?? 0) + 1,
      lastReadAt: now,
      newestSentAt: later(known?.newestSentAt, sentAtOf(message)),
    });
  }

  toReads(): readonly FormatReads[] {
    return [...this.#reads.values()];
  }
}

/** A message whose scheduled time has come was sent long before it was enqueued. */
function sentAtOf(message: EncodedMessage): Date | undefined {
  const { scheduledEnqueueTimeUtc, enqueuedTimeUtc } = message as EncodedMessage & Partial<DeliveredMessage>;
  return scheduledEnqueueTimeUtc === undefined ? enqueuedTimeUtc : undefined;
}
