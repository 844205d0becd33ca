import {
  type ApplicationProperties,
  type ApplicationPropertyValue,
  deadLetterRecordProperty,
  type EncodedMessage,
} from "@waybill/core";
import type { DeliveredMessage, EveryProperty } from "@waybill/core/transport";

/** The application property that counts how often a message was resubmitted. */
export const resubmitCountProperty = "waybill-resubmits";

/** The application property that names the only subscription that a message is resubmitted for. */
export const resubmitToProperty = "waybill-resubmit-to";

/** The application property that keeps the original message id of a resubmitted message that got another. */
export const originalMessageIdProperty = "waybill-original-message-id";

/** The properties that Service Bus and waybill add to a dead-lettered message. */
const deadLetterProperties = ["DeadLetterReason", "DeadLetterErrorDescription", deadLetterRecordProperty];

/** What changes on a message that is resubmitted. */
export interface ResubmissionChanges {
  /** The only subscription to receive it. */
  readonly subscription: string | undefined;
  /** A new message id, for entities that detect duplicates. */
  readonly messageId: string | undefined;
}

/** How often a message has been resubmitted before. */
export function resubmitCountOf({ applicationProperties }: DeliveredMessage): number {
  const count = applicationProperties[resubmitCountProperty];
  return Number.isSafeInteger(count) ? Math.max(Number(count), 0) : 0;
}

/**
 * The message to send again: the same body and properties, without those that dead-lettering added and without a scheduled time in the past.
 * A property counts how often it was resubmitted.
 */
export function resubmissionOf(
  message: DeliveredMessage,
  changes: ResubmissionChanges,
): EveryProperty<EncodedMessage> {
  const { body, contentType, contentEncoding, correlationId, subject, to, replyTo, replyToSessionId } =
    message;
  const { sessionId, partitionKey, viaPartitionKey, timeToLive, forcePersistence } = message;
  return {
    body,
    messageId: changes.messageId ?? message.messageId,
    contentType,
    contentEncoding,
    correlationId,
    subject,
    to,
    replyTo,
    replyToSessionId,
    sessionId,
    partitionKey,
    viaPartitionKey,
    timeToLive,
    scheduledEnqueueTimeUtc: undefined,
    forcePersistence,
    applicationProperties: propertiesOf(message, changes),
  };
}

function propertiesOf(
  message: DeliveredMessage,
  { subscription, messageId }: ResubmissionChanges,
): ApplicationProperties {
  const properties = new Map<string, ApplicationPropertyValue>(Object.entries(message.applicationProperties));
  for (const name of [...deadLetterProperties, resubmitToProperty]) properties.delete(name);
  properties.set(resubmitCountProperty, resubmitCountOf(message) + 1);
  if (subscription !== undefined) properties.set(resubmitToProperty, subscription);
  if (
    messageId !== undefined &&
    message.messageId !== undefined &&
    !properties.has(originalMessageIdProperty)
  )
    properties.set(originalMessageIdProperty, message.messageId);
  return Object.fromEntries(properties);
}

/**
 * The SQL filter that every subscription of a topic needs, so that a message resubmitted for one subscription reaches no other:
 * `"waybill-resubmit-to" IS NULL OR "waybill-resubmit-to" = 'billing'`, combined with the subscription's own filter.
 */
export function resubmitFilter(subscription: string, ownFilter?: string): string {
  const name = `'${subscription.replaceAll("'", "''")}'`;
  const forUs = `("${resubmitToProperty}" IS NULL OR "${resubmitToProperty}" = ${name})`;
  return ownFilter === undefined ? forUs : `${forUs} AND (${ownFilter})`;
}
