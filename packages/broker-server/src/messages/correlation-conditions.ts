import type { BrokerCorrelationFilter } from "@waybill/broker";

/** The conditions of a correlation filter in data contract order: in requests over AMQP, in XML, and in the broker. */
export const correlationConditions = [
  ["correlation-id", "CorrelationId", "correlationId"],
  ["message-id", "MessageId", "messageId"],
  ["to", "To", "to"],
  ["reply-to", "ReplyTo", "replyTo"],
  ["label", "Label", "subject"],
  ["session-id", "SessionId", "sessionId"],
  ["reply-to-session-id", "ReplyToSessionId", "replyToSessionId"],
  ["content-type", "ContentType", "contentType"],
] as const satisfies readonly (readonly [
  wire: string,
  element: string,
  name: keyof BrokerCorrelationFilter,
])[];
