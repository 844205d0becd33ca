import type { Scheduler } from "@waybill/foundation";
import type { DeliveredMessage, TransportSender } from "../../contracts/transport.js";
import { WaybillError } from "../../errors/error.js";
import { deadLetterDescription, deadLetterRecordProperties } from "../../message/dead-letter-record.js";
import { attemptDetails } from "../../message/decisive-attempt.js";
import type { EncodedMessage, EveryProperty } from "../../message/message.js";
import type { Unavailable, Undeserializable } from "../../message/outcome.js";
import type {
  UndeserializableDisposition,
  UndeserializableEvent,
} from "../../message/undeserializable-event.js";
import { type Delivery, isLockLost } from "./delivery.js";
import { undecodedMessage } from "./received-message.js";

/** A delivery whose body was not read. */
export interface UndecodedDelivery {
  readonly delivered: DeliveredMessage;
  readonly outcome: Undeserializable | Unavailable;
  /** Undefined in receive-and-delete mode: the broker has already deleted the message. */
  readonly delivery: Delivery | undefined;
}

/** Dependencies for settling undecoded messages. */
export interface UndecodedSettlement {
  readonly entityPath: string;
  readonly scheduler: Scheduler;
  readonly consumerVersion: string | undefined;
  /** The sender to the quarantine queue, for messages that can no longer be dead-lettered; undefined if none is configured. */
  readonly quarantine: () => TransportSender | undefined;
}

/** Dead-letters an undeserializable message; resolves with what happened to it and never rejects. */
export async function deadLetterUndecoded(
  { delivered, outcome, delivery }: UndecodedDelivery & { outcome: Undeserializable; delivery: Delivery },
  settlement: UndecodedSettlement,
): Promise<UndeserializableEvent> {
  const undecoded = { delivered, outcome, delivery };
  try {
    await deadLetterWithRecord(undecoded, settlement);
  } catch (error) {
    return undeserializableEvent(undecoded, settlement, "unsettled", error);
  }
  return undeserializableEvent(undecoded, settlement, "deadLettered");
}

/**
 * Sends a message that the broker has already deleted to the quarantine queue, raw, with the dead-letter record and reason. Without a
 * quarantine queue, or if sending fails, the message is handed over.
 */
export async function quarantineUndecoded(
  undecoded: UndecodedDelivery,
  settlement: UndecodedSettlement,
): Promise<UndeserializableEvent> {
  try {
    const sender = settlement.quarantine();
    if (sender === undefined) return undeserializableEvent(undecoded, settlement, "handedOver");
    await sender.send([await quarantinedMessage(undecoded, settlement)]);
  } catch (error) {
    return undeserializableEvent(undecoded, settlement, "handedOver", error);
  }
  return undeserializableEvent(undecoded, settlement, "quarantined");
}

/** The event that reports what happened to an undecoded message. */
export function undeserializableEvent(
  { delivered, outcome, delivery }: UndecodedDelivery,
  { entityPath }: UndecodedSettlement,
  disposition: UndeserializableDisposition,
  settlementError?: unknown,
): UndeserializableEvent {
  const message = undecodedMessage(delivered, outcome, delivery);
  const error = failureError(delivered, outcome, entityPath);
  return { message, entityPath, disposition, error, settlementError };
}

function failureError(
  { messageId }: DeliveredMessage,
  outcome: Undeserializable | Unavailable,
  entityPath: string,
): WaybillError {
  if (outcome.status === "undeserializable") {
    const text = `${outcome.reason}: ${outcome.description}`;
    const attempt = attemptDetails(outcome.report);
    return new WaybillError("deserialization-failed", text, { entityPath, messageId, ...attempt });
  }
  const { error } = outcome;
  const isForAnother = error.stage === "select";
  const text = isForAnother ? error.text : "Something needed to read the body is out of reach.";
  return new WaybillError("unavailable", text, {
    entityPath,
    messageId,
    cause: error,
    format: error.format,
  });
}

/**
 * If the broker refuses the record, the description or the reason, for example because the message has large properties of its own, the
 * message is dead-lettered without them, one after the other.
 */
async function deadLetterWithRecord(
  undecoded: UndecodedDelivery & { outcome: Undeserializable; delivery: Delivery },
  settlement: UndecodedSettlement,
): Promise<void> {
  const { outcome, delivery, delivered } = undecoded;
  const deadLetterReason = outcome.reason;
  const deadLetterErrorDescription = deadLetterDescription(outcome, delivered.applicationProperties);
  const propertiesToModify = await record(undecoded, settlement);
  const forms = [
    { deadLetterReason, deadLetterErrorDescription, propertiesToModify },
    { deadLetterReason, deadLetterErrorDescription },
    { deadLetterReason },
    {},
  ];
  for (const [index, form] of forms.entries()) {
    try {
      await delivery.settle("deadLetter", form);
      return;
    } catch (error) {
      // Fewer properties do not help if the lock is gone or the broker is busy: the message is delivered again.
      const isLast = index === forms.length - 1;
      if (isLast || isLockLost(error) || (error instanceof WaybillError && error.retryable)) throw error;
    }
  }
}

async function quarantinedMessage(
  undecoded: UndecodedDelivery,
  settlement: UndecodedSettlement,
): Promise<EncodedMessage> {
  const { delivered, outcome } = undecoded;
  const applicationProperties = { ...delivered.applicationProperties };
  if (outcome.status === "undeserializable") {
    // The properties that the service sets on dead-lettered messages, so that the same tools read both.
    applicationProperties.DeadLetterReason = outcome.reason;
    applicationProperties.DeadLetterErrorDescription = deadLetterDescription(
      outcome,
      delivered.applicationProperties,
    );
    Object.assign(applicationProperties, await record({ ...undecoded, outcome }, settlement));
  }
  return { ...copyToSend(delivered), sessionId: delivered.sessionId, applicationProperties };
}

/**
 * What every copy of a message has. Without a time to live and a schedule, it stays until it is looked at; properties that depend on the
 * purpose of the copy are undefined.
 */
export function copyToSend(delivered: DeliveredMessage): EveryProperty<EncodedMessage> {
  return {
    body: delivered.body,
    messageId: delivered.messageId,
    contentType: delivered.contentType,
    contentEncoding: delivered.contentEncoding,
    correlationId: delivered.correlationId,
    subject: delivered.subject,
    to: delivered.to,
    replyTo: delivered.replyTo,
    replyToSessionId: delivered.replyToSessionId,
    partitionKey: delivered.partitionKey,
    viaPartitionKey: delivered.viaPartitionKey,
    sessionId: undefined,
    timeToLive: undefined,
    scheduledEnqueueTimeUtc: undefined,
    forcePersistence: undefined,
    applicationProperties: undefined,
  };
}

function record(
  { delivered, outcome }: UndecodedDelivery & { outcome: Undeserializable },
  { consumerVersion, scheduler }: UndecodedSettlement,
) {
  return deadLetterRecordProperties({
    outcome,
    rawBody: delivered.body,
    applicationProperties: delivered.applicationProperties,
    consumerVersion,
    deadLetteredAt: new Date(scheduler.now()),
  });
}
