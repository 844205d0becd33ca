import type { DeliveredMessage } from "../../contracts/transport.js";
import type { ApplicationProperties, EncodedMessage, MessageId } from "../../message/message.js";
import { copyToSend } from "../delivery/settle-undecoded.js";

/** The application property with the number of retries of a message. */
export const retryCountProperty = "waybill-retry-count";

/** The application property with the original `messageId` of a retried message. */
export const firstMessageIdProperty = "waybill-first-message-id";

/** How often a message has been retried. An invalid property counts as 0, because it comes from the wire. */
export function retriesOf({ applicationProperties }: DeliveredMessage): number {
  const count = applicationProperties[retryCountProperty];
  return typeof count === "number" && Number.isSafeInteger(count) && count > 0 ? count : 0;
}

/**
 * The copy of a message to retry: the same bytes and properties, but another `messageId`, because duplicate detection would drop the original
 * one. The id is derived from the sequence number, so that a copy sent twice is detected as a duplicate.
 */
export function retryCopy(delivered: DeliveredMessage, atMs: number): EncodedMessage {
  const { applicationProperties, messageId, expiresAtUtc } = delivered;
  const copied: Record<string, ApplicationProperties[string]> = {
    ...applicationProperties,
    [retryCountProperty]: retriesOf(delivered) + 1,
  };
  const firstId = (applicationProperties[firstMessageIdProperty] as MessageId | undefined) ?? messageId;
  if (firstId !== undefined) copied[firstMessageIdProperty] = firstId;
  return {
    ...copyToSend(delivered),
    messageId: `retry-of-${delivered.sequenceNumber}`,
    // Its time to live counts from when it becomes active; the copy expires when the original would have.
    timeToLive: expiresAtUtc === undefined ? undefined : timeLeftMs(expiresAtUtc, atMs),
    forcePersistence: delivered.forcePersistence,
    applicationProperties: copied,
  };
}

/** Undefined for a message that never expires, whose expiry the service reports as the year 9999: the entity's default applies. */
function timeLeftMs(expiresAt: Date, atMs: number): number | undefined {
  const leftMs = Math.max(expiresAt.getTime() - atMs, 1);
  return leftMs > maxTimeToLiveMs ? undefined : leftMs;
}

/** The maximum of the AMQP header. Source: AMQP 1.0, 3.2.1. */
const maxTimeToLiveMs = 2 ** 32 - 1;
