import type { DeliveredMessage } from "../contracts/transport.js";
import { durationMs } from "../foundation/duration.js";
import { requireInteger } from "../foundation/integer.js";
import { type OptionNames, requireKnownOptions } from "../foundation/known-options.js";
import type { ApplicationProperties, EncodedMessage, MessageId } from "../message/message.js";

/** The application property of a retried message that counts its retries. */
export const retryCountProperty = "waybill-retry-count";

/** The application property of a retried message that holds the `messageId` it was first sent with. */
export const firstMessageIdProperty = "waybill-first-message-id";

/**
 * Brings a message whose handler failed back after a delay: a copy is scheduled, then the message is completed. Between the two steps
 * both exist, so a message can come twice, never not at all.
 */
export interface RetryOptions {
  /** How long until the message comes back, in milliseconds, or a function of the retry's number, from 1, and what the handler threw. 0 abandons. */
  readonly delayInMs: number | ((retry: number, error: unknown) => number);
  /** How often; after that the message is dead-lettered with the reason `RetriesExhausted`. Default: 10. */
  readonly maxRetries?: number | undefined;
}

/** {@link RetryOptions} with the default filled in. */
export interface ResolvedRetryOptions extends RetryOptions {
  readonly maxRetries: number;
}

/** The default of {@link RetryOptions}. */
const defaultMaxRetries = 10;

const optionNames: OptionNames<RetryOptions> = { delayInMs: true, maxRetries: true };

/** Checks the options and fills in the default. Throws `TypeError`. */
export function resolveRetryOptions(options: RetryOptions): ResolvedRetryOptions {
  requireKnownOptions("retry", options, optionNames);
  const { delayInMs, maxRetries = defaultMaxRetries } = options;
  if (typeof delayInMs !== "function") durationMs("retry.delayInMs", delayInMs, 0);
  requireInteger("retry.maxRetries", maxRetries, 0);
  return { delayInMs, maxRetries };
}

/** How often a message has been retried. What is not a count, counts as none: the property comes from the wire. */
export function retriesOf({ applicationProperties }: DeliveredMessage): number {
  const count = applicationProperties[retryCountProperty];
  return typeof count === "number" && Number.isSafeInteger(count) && count > 0 ? count : 0;
}

/**
 * The copy of a message that is to come back: the same bytes and properties, but an id of its own, because an entity that detects
 * duplicates would drop the old one. The id follows from the sequence number, so that a copy that is made twice is a duplicate there.
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
    body: delivered.body,
    messageId: `retry-of-${delivered.sequenceNumber}`,
    contentType: delivered.contentType,
    correlationId: delivered.correlationId,
    subject: delivered.subject,
    to: delivered.to,
    replyTo: delivered.replyTo,
    replyToSessionId: delivered.replyToSessionId,
    partitionKey: delivered.partitionKey,
    viaPartitionKey: delivered.viaPartitionKey,
    // Its time to live counts from when it becomes active; it is to end when it would have ended.
    timeToLive: expiresAtUtc === undefined ? undefined : timeLeftMs(expiresAtUtc, atMs),
    forcePersistence: delivered.forcePersistence,
    applicationProperties: copied,
  };
}

/** A message that never expires, for which the service writes the end of its calendar, is left to the entity's own limit. */
function timeLeftMs(expiresAt: Date, atMs: number): number | undefined {
  const leftMs = Math.max(expiresAt.getTime() - atMs, 1);
  return leftMs > maxTimeToLiveMs ? undefined : leftMs;
}

/** What the AMQP header can say. Source: AMQP 1.0, 3.2.1. */
const maxTimeToLiveMs = 2 ** 32 - 1;
