import type { BrokerMessage, DeadLetterOptions, MessageBody } from "@waybill/broker";
import type { EncodedMessage } from "@waybill/core";
import type {
  CallOptions,
  EncodedBody,
  EveryProperty,
  TransportDeadLetterOptions,
} from "@waybill/core/transport";
import type { InBrokerTerms } from "./broker-terms.js";

/** Converts a message for the broker; `scheduledFor` overrides the message's own schedule. The broker copies what it keeps. */
export function toBrokerMessage(message: EncodedMessage, scheduledFor?: Date): BrokerMessage {
  return {
    messageId: message.messageId,
    correlationId: message.correlationId,
    contentType: message.contentType,
    contentEncoding: message.contentEncoding,
    subject: message.subject,
    to: message.to,
    replyTo: message.replyTo,
    replyToSessionId: message.replyToSessionId,
    sessionId: message.sessionId,
    partitionKey: message.partitionKey,
    viaPartitionKey: message.viaPartitionKey,
    timeToLiveMs: message.timeToLive,
    scheduledEnqueueTime: scheduledFor ?? message.scheduledEnqueueTimeUtc,
    forcePersistence: message.forcePersistence,
    applicationProperties: message.applicationProperties,
    body: toBrokerBody(message.body),
  } satisfies InBrokerTerms<EncodedMessage>;
}

/** The options of a settlement for the broker. */
export function toBrokerOptions(options: TransportDeadLetterOptions = {}) {
  return {
    reason: options.deadLetterReason,
    description: options.deadLetterErrorDescription,
    propertiesToModify: options.propertiesToModify,
  } satisfies EveryProperty<DeadLetterOptions> &
    InBrokerTerms<Omit<TransportDeadLetterOptions, keyof CallOptions>>;
}

function toBrokerBody(body: EncodedBody): MessageBody {
  return body instanceof Uint8Array ? { section: "data", bytes: body } : body;
}
