import type { DeserializationOutcome } from "@waybill/core";
import { looksLike, originText } from "@waybill/core/diagnostics";
import type { DeliveredMessage } from "@waybill/core/transport";
import { instant } from "../reads/message-row.js";
import { untrustedContent } from "./message-content.js";

/** What the broker and the chain say of a message, in few words. */
export function messageSummary(message: DeliveredMessage, outcome: DeserializationOutcome) {
  const { report } = outcome;
  const origin = looksLike(outcome);
  return {
    sequenceNumber: String(message.sequenceNumber),
    state: message.state,
    enqueuedAt: instant(message.enqueuedTimeUtc),
    dueAt: message.state === "scheduled" ? instant(message.scheduledEnqueueTimeUtc) : undefined,
    deliveryCount: message.deliveryCount || undefined,
    status: outcome.status,
    serializer: report.serializer,
    messageVersion: report.messageVersion,
    upcastPath: report.upcastPath,
    reason: outcome.status === "undeserializable" ? outcome.reason : undefined,
    unavailable: outcome.status === "unavailable" ? outcome.error.code : undefined,
    attempts:
      report.attempts.length === 0
        ? undefined
        : report.attempts.map(({ serializer, stage, reason }) => `${serializer}: ${stage}: ${reason}`),
    looksLike: origin && originText(origin),
    bytes: report.bytes,
  };
}

/** The same with what the sender wrote. */
export function wholeMessage(message: DeliveredMessage, outcome: DeserializationOutcome, from: number) {
  return { ...messageSummary(message, outcome), untrustedContent: untrustedContent(message, outcome, from) };
}
