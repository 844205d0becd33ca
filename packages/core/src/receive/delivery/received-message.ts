import { inspected } from "@waybill/foundation";
import type { DeliveredMessage } from "../../contracts/transport.js";
import type {
  DeliveredProperties,
  EveryProperty,
  ReceivedMessage,
  UndecodedMessage,
} from "../../message/message.js";
import type { Decoded, DeserializationOutcome } from "../../message/outcome.js";
import { jsonValue, printedMessage } from "../../message/printed-message.js";
import type { Delivery } from "./delivery.js";

/** The message for the application when its body was read. */
export function receivedMessage(
  delivered: DeliveredMessage,
  outcome: Decoded,
  delivery: Delivery | undefined,
): ReceivedMessage {
  const message = new PrintableMessage(delivered, outcome.body, outcome, delivery);
  delivery?.handOver(message);
  return message;
}

/** The message for the application when its body was not read. */
export function undecodedMessage(
  delivered: DeliveredMessage,
  outcome: Exclude<DeserializationOutcome, Decoded>,
  delivery: Delivery | undefined,
): UndecodedMessage {
  const message = Object.assign(new PrintableMessage(delivered, undefined, outcome, delivery), {
    failure: outcome,
  });
  delivery?.handOver(message);
  return message;
}

/**
 * Assigns every property by name, so that all messages have the same hidden class: on this hot path, a spread is slow, and so are field
 * definitions before the assignments.
 */
class PrintableMessage<Body> implements EveryProperty<DeliveredProperties> {
  declare readonly body: Body;
  declare readonly rawBody: DeliveredMessage["body"];
  declare readonly deserialization: DeserializationOutcome["report"];
  declare readonly messageId: DeliveredMessage["messageId"];
  declare readonly contentType: DeliveredMessage["contentType"];
  declare readonly contentEncoding: DeliveredMessage["contentEncoding"];
  declare readonly correlationId: DeliveredMessage["correlationId"];
  declare readonly subject: DeliveredMessage["subject"];
  declare readonly to: DeliveredMessage["to"];
  declare readonly replyTo: DeliveredMessage["replyTo"];
  declare readonly replyToSessionId: DeliveredMessage["replyToSessionId"];
  declare readonly sessionId: DeliveredMessage["sessionId"];
  declare readonly partitionKey: DeliveredMessage["partitionKey"];
  declare readonly viaPartitionKey: DeliveredMessage["viaPartitionKey"];
  declare readonly timeToLive: DeliveredMessage["timeToLive"];
  declare readonly scheduledEnqueueTimeUtc: DeliveredMessage["scheduledEnqueueTimeUtc"];
  declare readonly forcePersistence: DeliveredMessage["forcePersistence"];
  declare readonly applicationProperties: DeliveredMessage["applicationProperties"];
  declare readonly deadLetterReason: DeliveredMessage["deadLetterReason"];
  declare readonly deadLetterErrorDescription: DeliveredMessage["deadLetterErrorDescription"];
  declare readonly deadLetterSource: DeliveredMessage["deadLetterSource"];
  declare readonly deliveryCount: DeliveredMessage["deliveryCount"];
  declare readonly enqueuedTimeUtc: DeliveredMessage["enqueuedTimeUtc"];
  declare readonly expiresAtUtc: DeliveredMessage["expiresAtUtc"];
  /** Updated by renewals. */
  declare lockedUntilUtc: DeliveredMessage["lockedUntilUtc"];
  declare readonly lockToken: DeliveredMessage["lockToken"];
  declare readonly sequenceNumber: DeliveredMessage["sequenceNumber"];
  declare readonly enqueuedSequenceNumber: DeliveredMessage["enqueuedSequenceNumber"];
  declare readonly state: DeliveredMessage["state"];
  declare readonly size: DeliveredMessage["size"];
  declare readonly settlement: Delivery | undefined;

  constructor(
    delivered: DeliveredMessage,
    body: Body,
    outcome: DeserializationOutcome,
    delivery: Delivery | undefined,
  ) {
    this.body = body;
    this.rawBody = delivered.body;
    this.deserialization = outcome.report;
    this.messageId = delivered.messageId;
    this.contentType = delivered.contentType;
    this.contentEncoding = delivered.contentEncoding;
    this.correlationId = delivered.correlationId;
    this.subject = delivered.subject;
    this.to = delivered.to;
    this.replyTo = delivered.replyTo;
    this.replyToSessionId = delivered.replyToSessionId;
    this.sessionId = delivered.sessionId;
    this.partitionKey = delivered.partitionKey;
    this.viaPartitionKey = delivered.viaPartitionKey;
    this.timeToLive = delivered.timeToLive;
    this.scheduledEnqueueTimeUtc = delivered.scheduledEnqueueTimeUtc;
    this.forcePersistence = delivered.forcePersistence;
    this.applicationProperties = delivered.applicationProperties;
    this.deadLetterReason = delivered.deadLetterReason;
    this.deadLetterErrorDescription = delivered.deadLetterErrorDescription;
    this.deadLetterSource = delivered.deadLetterSource;
    this.deliveryCount = delivered.deliveryCount;
    this.enqueuedTimeUtc = delivered.enqueuedTimeUtc;
    this.expiresAtUtc = delivered.expiresAtUtc;
    this.lockedUntilUtc = delivered.lockedUntilUtc;
    this.lockToken = delivered.lockToken;
    this.sequenceNumber = delivered.sequenceNumber;
    this.enqueuedSequenceNumber = delivered.enqueuedSequenceNumber;
    this.state = delivered.state;
    this.size = delivered.size;
    this.settlement = delivery;
  }

  /** The message for `JSON.stringify`: bigints as strings of digits, bytes as base64, without its settlement. */
  toJSON(): unknown {
    return jsonValue(printedMessage(this));
  }

  [inspected](): object {
    return printedMessage(this);
  }
}
