import type { Attributes } from "@opentelemetry/api";
import type { MessageFacts } from "@waybill/core/diagnostics";

/** The name of the instrumentation scope. */
export const scopeName = "@waybill/opentelemetry";

/** Attribute names. Source: OpenTelemetry semantic conventions, "Messaging spans", "Azure Messaging"; waybill's own begin with `waybill`. */
export const names = Object.freeze({
  system: "messaging.system",
  operationName: "messaging.operation.name",
  operationType: "messaging.operation.type",
  destination: "messaging.destination.name",
  subscription: "messaging.destination.subscription.name",
  messageCount: "messaging.batch.message_count",
  messageId: "messaging.message.id",
  conversationId: "messaging.message.conversation_id",
  bodySize: "messaging.message.body.size",
  deliveryCount: "messaging.servicebus.message.delivery_count",
  enqueuedTime: "messaging.servicebus.message.enqueued_time",
  disposition: "messaging.servicebus.disposition_status",
  errorType: "error.type",
  messageType: "waybill.message.type",
  serializer: "waybill.serializer",
  position: "waybill.serializer.position",
  outcome: "waybill.outcome",
  stage: "waybill.stage",
  reason: "waybill.reason",
  detail: "waybill.detail",
  unreadDisposition: "waybill.disposition",
  stallEvidence: "waybill.stall.evidence",
});

/** An operation's name and its type in the conventions. */
export interface OperationName {
  readonly name: string;
  readonly type?: "create" | "send" | "receive" | "process" | "settle";
}

/** The operations of a client. */
export const operations = Object.freeze({
  create: { name: "create", type: "create" },
  send: { name: "send", type: "send" },
  schedule: { name: "schedule", type: "send" },
  receive: { name: "receive", type: "receive" },
  receiveDeferred: { name: "receive_deferred", type: "receive" },
  peek: { name: "peek", type: "receive" },
  process: { name: "process", type: "process" },
  complete: { name: "complete", type: "settle" },
  abandon: { name: "abandon", type: "settle" },
  defer: { name: "defer", type: "settle" },
  deadLetter: { name: "dead_letter", type: "settle" },
  renewLock: { name: "renew_lock" },
  deserialize: { name: "deserialize" },
} satisfies Record<string, OperationName>);

const subscriptionPath = /^([^/].*?)\/subscriptions\/(.+)$/i;

/** The attributes of an operation and its entity. */
export function operationAttributes(entityPath: string, { name, type }: OperationName): Attributes {
  const subscription = subscriptionPath.exec(entityPath);
  return {
    [names.system]: "servicebus",
    [names.operationName]: name,
    [names.operationType]: type,
    [names.destination]: subscription?.[1] ?? entityPath,
    [names.subscription]: subscription?.[2],
  };
}

/** The attributes of one message. */
export function messageAttributes(message: MessageFacts): Attributes {
  const { deliveryCount, enqueuedTimeUtc } = message;
  return {
    [names.messageId]: textOf(message.messageId),
    [names.conversationId]: textOf(message.correlationId),
    [names.bodySize]: message.bodyBytes,
    [names.messageType]: message.messageType,
    [names.deliveryCount]: deliveryCount,
    [names.enqueuedTime]:
      enqueuedTimeUtc === undefined ? undefined : Math.floor(enqueuedTimeUtc.getTime() / 1000),
  };
}

/** The low-cardinality name of an error: waybill's code, else the name of its class. */
export function errorType(error: unknown): string {
  const { code, name } = (error ?? {}) as { readonly code?: unknown; readonly name?: unknown };
  if (typeof code === "string") return code;
  return typeof name === "string" ? name : "_OTHER";
}

/** Undefined for a binary id, because there is no common text form of it. */
function textOf(id: MessageFacts["messageId"]): string | undefined {
  return id === undefined || id instanceof Uint8Array ? undefined : String(id);
}
