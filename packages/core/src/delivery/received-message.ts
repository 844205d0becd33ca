import type { DeliveredMessage } from "../contracts/transport.js";
import type { ReceivedMessage, UndecodedMessage } from "../message/message.js";
import type { Decoded, DeserializationOutcome } from "../message/outcome.js";
import type { Delivery } from "./delivery.js";

/** What the application gets of a delivery whose body was read. */
export function receivedMessage(
  delivered: DeliveredMessage,
  outcome: Decoded,
  delivery: Delivery | undefined,
): ReceivedMessage {
  const message = toMessage(delivered, outcome.body, outcome, delivery);
  if (delivery !== undefined) delivery.received = message;
  return message;
}

/** What the application gets of a delivery whose body was not read. */
export function undecodedMessage(
  delivered: DeliveredMessage,
  outcome: Exclude<DeserializationOutcome, Decoded>,
  delivery: Delivery | undefined,
): UndecodedMessage {
  const message = Object.assign(toMessage(delivered, undefined, outcome, delivery), { failure: outcome });
  if (delivery !== undefined) delivery.received = message;
  return message;
}

/** Every property by name, so that all messages have one shape: a spread is slow on this hot path. */
function toMessage<Body>(
  delivered: DeliveredMessage,
  body: Body,
  outcome: DeserializationOutcome,
  delivery: Delivery | undefined,
) {
  return {
    body,
    rawBody: delivered.body,
    deserialization: outcome.report,
    messageId: delivered.messageId,
    contentType: delivered.contentType,
    correlationId: delivered.correlationId,
    subject: delivered.subject,
    to: delivered.to,
    replyTo: delivered.replyTo,
    replyToSessionId: delivered.replyToSessionId,
    sessionId: delivered.sessionId,
    partitionKey: delivered.partitionKey,
    viaPartitionKey: delivered.viaPartitionKey,
    timeToLive: delivered.timeToLive,
    scheduledEnqueueTimeUtc: delivered.scheduledEnqueueTimeUtc,
    forcePersistence: delivered.forcePersistence,
    applicationProperties: delivered.applicationProperties,
    deadLetterReason: delivered.deadLetterReason,
    deadLetterErrorDescription: delivered.deadLetterErrorDescription,
    deadLetterSource: delivered.deadLetterSource,
    deliveryCount: delivered.deliveryCount,
    enqueuedTimeUtc: delivered.enqueuedTimeUtc,
    expiresAtUtc: delivered.expiresAtUtc,
    lockedUntilUtc: delivered.lockedUntilUtc,
    lockToken: delivered.lockToken,
    sequenceNumber: delivered.sequenceNumber,
    enqueuedSequenceNumber: delivered.enqueuedSequenceNumber,
    state: delivered.state,
    size: delivered.size,
    settlement: delivery,
  };
}
