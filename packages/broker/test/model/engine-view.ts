import type { BrokerSnapshot } from "../../src/management/snapshot.js";
import type { BrokerMessage } from "../../src/messages/message.js";
import type { BrokerReceivedMessage } from "../../src/messages/received-message.js";
import type { CommandMessage } from "./command.js";
import { inOrderOfId } from "./model-environment.js";
import { bodyText, largeBody, type MessageView, type NaiveProperties } from "./naive-entity.js";
import { inOrderOfPath } from "./naive-view.js";

const largeBytes = Buffer.from(bodyText(largeBody));

/** Everything in the engine, in the form of the model. */
export function describeSnapshot({ stores, entities }: BrokerSnapshot) {
  return {
    stores: inOrderOfPath(
      stores.map(({ path, messages, sessions }) => ({
        path,
        messages: messages.map(({ message, lockedUntil }) => ({
          ...viewOf(message),
          lockedUntilMs: lockedUntil?.getTime(),
        })),
        sessions: inOrderOfId(
          sessions.map(({ lockedUntil, ...session }) => ({
            ...session,
            lockedUntilMs: lockedUntil?.getTime(),
          })),
        ),
      })),
    ),
    entities: inOrderOfPath(
      entities.map((entity) => ({
        path: entity.path,
        active: entity.activeMessageCount,
        deferred: entity.deferredMessageCount,
        scheduled: entity.scheduledMessageCount,
        deadLetter: entity.deadLetterMessageCount,
        transferDeadLetter: entity.transferDeadLetterMessageCount,
        sizeInBytes: entity.sizeInBytes,
        accessedAtMs: entity.kind === "topic" ? undefined : entity.accessedAt.getTime(),
      })),
    ),
  };
}

/** A command's message in the form of the engine. */
export function toMessage(message: CommandMessage, scheduledAtMs?: number): BrokerMessage {
  const { messageId, sessionId, partitionKey, subject, timeToLiveMs, body, properties } = message;
  return {
    messageId,
    sessionId,
    partitionKey,
    subject,
    timeToLiveMs,
    scheduledEnqueueTime: scheduledAtMs === undefined ? undefined : new Date(scheduledAtMs),
    body: {
      section: "data",
      bytes: message.body === largeBody ? largeBytes : new TextEncoder().encode(body),
    },
    applicationProperties: properties,
  };
}

/** The observable properties of a message of the engine. */
export function viewOf(message: BrokerReceivedMessage): MessageView {
  const { body } = message;
  return {
    sequence: Number(message.sequenceNumber),
    enqueuedSequence: Number(message.enqueuedSequenceNumber),
    enqueuedAtMs: message.enqueuedTime.getTime(),
    expiresAtMs: message.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
    lockedUntilMs: message.lockedUntil?.getTime(),
    state: message.state,
    deliveryCount: message.deliveryCount,
    deadLetterSource: message.deadLetterSource,
    messageId: String(message.messageId),
    sessionId: message.sessionId,
    subject: message.subject,
    body: body.section === "data" ? nameOf(body.bytes) : "",
    properties: withoutDescription(message.applicationProperties as NaiveProperties),
  };
}

/** Large bodies are replaced by their name, because they are compared many times. */
function nameOf(bytes: Uint8Array): string {
  const isLarge = bytes.byteLength === largeBytes.byteLength && largeBytes.equals(bytes);
  return isLarge ? largeBody : new TextDecoder().decode(bytes);
}

/** The wording of descriptions is not part of the model. */
function withoutDescription({
  DeadLetterErrorDescription: _,
  ...properties
}: NaiveProperties): NaiveProperties {
  return properties;
}
