import { durationMs, type Resolved, requireInteger, withDefaults } from "@waybill/foundation";
import type { DeliveredMessage } from "../../contracts/transport.js";
import type { ApplicationProperties, EncodedMessage, MessageId } from "../../message/message.js";
import { copyToSend } from "../delivery/settle-undecoded.js";

/** The application property with the number of retries of a message. */
export const retryCountProperty = "waybill-retry-count";

/** The application property with the original `messageId` of a retried message. */
export const firstMessageIdProperty = "waybill-first-message-id";

/**
 * After a delay, retries a message whose handler failed: a copy is scheduled, then the message is completed. A crash between the two steps
 * may deliver a message twice, but loses none.
 */
export interface RetryOptions {
  /** The delay in milliseconds, or a function of the number of the retry, from 1, and the handler's error. 0 abandons the message instead. */
  readonly delayInMs: number | ((retry: number, error: unknown) => number);
  /** Maximum number of retries; then the message is dead-lettered with the reason `RetriesExhausted`. Default: 10. */
  readonly maxRetries?: number | undefined;
}

/** {@link RetryOptions} with the default filled in. */
export type ResolvedRetryOptions = Resolved<RetryOptions>;

const defaults = Object.freeze({ delayInMs: undefined, maxRetries: 10 });

/** Checks the options and fills in the default. Throws `TypeError`. */
export function resolveRetryOptions(options: RetryOptions): ResolvedRetryOptions {
  const resolved = withDefaults("retry", options, defaults);
  const { delayInMs, maxRetries } = resolved;
  if (typeof delayInMs !== "function") durationMs("retry.delayInMs", delayInMs, 0);
  requireInteger("retry.maxRetries", maxRetries, 0);
  return resolved;
}

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
