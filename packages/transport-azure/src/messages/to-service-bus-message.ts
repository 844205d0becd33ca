import type { EncodedMessage } from "@waybill/core";
import type { AnnotatedMessage, WireProperties } from "../sdk/service-bus-client.js";
import { toAmqpId, toAmqpProperties, toAmqpValue, toBuffer } from "./to-amqp-value.js";

/** Converts a message to the SDK's sectioned form; `scheduledFor` overrides the message's own schedule. */
export function toServiceBusMessage(message: EncodedMessage, scheduledFor?: Date): AnnotatedMessage {
  const { body, timeToLive, forcePersistence, applicationProperties } = message;
  const annotated: AnnotatedMessage =
    body instanceof Uint8Array
      ? { body: toBuffer(body), bodyType: "data" }
      : { body: toAmqpValue(body.value), bodyType: body.section };
  annotated.properties = toProperties(message);
  annotated.messageAnnotations = toAnnotations(message, scheduledFor);
  if (timeToLive !== undefined || forcePersistence !== undefined) {
    annotated.header = {
      ...(timeToLive !== undefined && { timeToLive }),
      ...(forcePersistence !== undefined && { durable: forcePersistence }),
    };
  }
  if (applicationProperties !== undefined) {
    annotated.applicationProperties = toAmqpProperties(applicationProperties);
  }
  return annotated;
}

function toProperties(message: EncodedMessage): WireProperties {
  const { messageId, correlationId } = message;
  const properties: WireProperties = {};
  if (messageId !== undefined) properties.messageId = toAmqpId(messageId);
  if (correlationId !== undefined) properties.correlationId = toAmqpId(correlationId);
  if (message.contentType !== undefined) properties.contentType = message.contentType;
  if (message.subject !== undefined) properties.subject = message.subject;
  if (message.to !== undefined) properties.to = message.to;
  if (message.replyTo !== undefined) properties.replyTo = message.replyTo;
  if (message.sessionId !== undefined) properties.groupId = message.sessionId;
  if (message.replyToSessionId !== undefined) properties.replyToGroupId = message.replyToSessionId;
  return properties;
}

function toAnnotations(message: EncodedMessage, scheduledFor: Date | undefined): WireProperties {
  const { partitionKey, viaPartitionKey } = message;
  const scheduledEnqueueTimeUtc = scheduledFor ?? message.scheduledEnqueueTimeUtc;
  const annotations: WireProperties = {};
  if (partitionKey !== undefined) annotations["x-opt-partition-key"] = partitionKey;
  if (viaPartitionKey !== undefined) annotations["x-opt-via-partition-key"] = viaPartitionKey;
  if (scheduledEnqueueTimeUtc !== undefined) {
    annotations["x-opt-scheduled-enqueue-time"] = scheduledEnqueueTimeUtc;
  }
  return annotations;
}
