import type { ApplicationProperties, ApplicationPropertyValue } from "@waybill/core";
import { requireKnownOptions, requireOneOf } from "@waybill/core/serializer";
import type { WritableProperties } from "@waybill/core/transport";
import { base64 } from "@waybill/foundation";
import { looksLikeEvent, openEvent } from "./cloud-event.js";
import {
  type Envelope,
  type EnvelopedMessage,
  type EnvelopeFacts,
  type EnvelopeOptions,
  idText,
  instantOf,
  isRecord,
  messageIdOf,
  textMember,
  typeTable,
} from "./envelope.js";
import { jsonBody, jsonBytes } from "./json-body.js";

/** How CloudEvents are written. */
export interface CloudEventsOptions extends EnvelopeOptions {
  /** The `source` of sent events: a URI reference, such as `"/shop/orders"`. Default `"/"`. */
  readonly source?: string | undefined;
  /** `"binary"` (default): attributes are application properties; `"structured"`: the event is one body. */
  readonly mode?: "binary" | "structured" | undefined;
  /** The format of structured events. Avro needs `cloudEventsAvro(avro)` among the serializers. Default `"json"`. */
  readonly format?: "json" | "avro" | undefined;
}

/** The prefixes of attributes; a message has one of the two. Source: CloudEvents AMQP binding 1.0.3, 3.1.3. */
const prefixes = ["cloudEvents_", "cloudEvents:"] as const;
const structured = "application/cloudevents";

/**
 * CloudEvents 1.0 over AMQP, in binary and structured mode: attributes with the prefix `cloudEvents_`, or `cloudEvents:` from older senders. The
 * message type is the event's `type`, the body its data. Throws `TypeError` for an invalid option. Source: CloudEvents, AMQP protocol
 * binding 1.0.3.
 */
export function cloudEvents(options: CloudEventsOptions = {}): Envelope {
  requireKnownOptions("cloudEvents", options, { types: true, source: true, mode: true, format: true });
  const { source = "/", mode = "binary", format = "json" } = options;
  requireOneOf("cloudEvents: mode", mode, ["binary", "structured"]);
  requireOneOf("cloudEvents: format", format, ["json", "avro"]);
  const table = typeTable(options.types);
  const isWrapped = (message: WritableProperties) => mode === "structured" || isStructured(message);
  return Object.freeze({
    name: "CloudEvents",
    recognises: (message) =>
      isStructured(message) || attributesOf(message.applicationProperties) !== undefined,
    identify(message) {
      if (isStructured(message)) return undefined;
      const type = attributesOf(message.applicationProperties)?.type;
      const messageType = table.toLocal(typeof type === "string" && type !== "" ? [type] : []);
      return messageType === undefined ? undefined : { messageType, version: undefined };
    },
    open(body, message) {
      if (!isStructured(message)) return undefined;
      const { attributes, ...data } = openEvent(body);
      const messageType = table.toLocal([String(attributes.type)]) ?? "";
      return { messageType, version: undefined, ...data };
    },
    stamp({ messageType }, message) {
      const { applicationProperties = {} } = message;
      const messageId = messageIdOf(message);
      if (isWrapped(message))
        return { messageId, contentType: structuredType(message, format), applicationProperties };
      const event = requiredAttributes(message, source, table.toForeign(messageType));
      const attributes = Object.entries(event).map(([name, value]) => [prefixes[0] + name, value] as const);
      return {
        messageId,
        // Attributes that the message already has override the generated ones.
        applicationProperties: { ...Object.fromEntries(attributes), ...applicationProperties },
      };
    },
    wrap(body, { messageType }, message) {
      if (!isWrapped(message)) return body;
      const attributes = {
        ...extensions(message.applicationProperties),
        ...requiredAttributes(message, source, table.toForeign(messageType)),
      };
      return structuredType(message, format).endsWith("+avro")
        ? avroEvent(attributes, body)
        : jsonEvent(attributes, body);
    },
    facts: factsOf,
    replyProperties(request) {
      const { correlationId } = factsOf(request);
      return {
        ...(correlationId === undefined ? undefined : { correlationId }),
        ...(isStructured(request) ? { contentType: request.contentType } : undefined),
      };
    },
  } satisfies Envelope);
}

/**
 * Dapr's pub/sub: CloudEvents in JSON, without a content type unless published in bulk, recognised by the event's attributes. The message type is the
 * event's `type`, or the topic if `type` is Dapr's default. Events are written in the form that Dapr reads, with `source` (default `"/"`)
 * and, if given, `pubsubName`. Throws `TypeError` for invalid `types`. Source: Dapr, `pubsub/envelope.go`.
 */
export function dapr(
  options: EnvelopeOptions & {
    readonly source?: string | undefined;
    readonly pubsubName?: string | undefined;
  } = {},
): Envelope {
  const { source = "/", pubsubName } = options;
  const table = typeTable(options.types);
  return Object.freeze({
    name: "Dapr",
    recognises: (message) => looksLikeEvent(jsonBody(message)),
    identify: () => undefined,
    open(body) {
      if (!looksLikeEvent(body)) return undefined;
      const { attributes, ...data } = openEvent(body);
      const messageType = table.toLocal([daprType(attributes)]) ?? "";
      return { messageType, version: undefined, ...data };
    },
    stamp: (_, message) => ({
      messageId: messageIdOf(message),
      contentType: `${structured}+json`,
      applicationProperties: message.applicationProperties ?? {},
    }),
    wrap: (body, { messageType }, message) =>
      jsonEvent(
        {
          ...requiredAttributes(message, source, table.toForeign(messageType)),
          ...(message.to === undefined ? undefined : { topic: message.to }),
          ...(pubsubName === undefined ? undefined : { pubsubname: pubsubName }),
        },
        body,
      ),
    facts: factsOf,
    replyProperties: () => ({}),
  } satisfies Envelope);
}

/** The attributes that every written event has. */
function requiredAttributes(message: WritableProperties, source: string, type: string) {
  return { specversion: "1.0", id: messageIdOf(message), source, type, time: new Date().toISOString() };
}

/** Dapr's default event type. */
function daprType(attributes: Readonly<Record<string, unknown>>): string {
  const topic = textMember(attributes, "topic");
  return attributes.type === "com.dapr.event.sent" && topic !== undefined ? topic : String(attributes.type);
}

/** The attributes of an event in binary mode, without their prefix. */
function attributesOf(
  properties: ApplicationProperties | undefined,
): Readonly<Record<string, ApplicationPropertyValue>> | undefined {
  if (properties === undefined) return undefined;
  for (const prefix of prefixes) {
    if (properties[`${prefix}specversion`] === undefined) continue;
    const entries = Object.entries(properties).filter(([name]) => name.startsWith(prefix));
    return Object.fromEntries(entries.map(([name, value]) => [name.slice(prefix.length), value]));
  }
  return undefined;
}

/** Attributes that the application set as properties of a message in structured mode; they remain properties, too. */
function extensions(properties: ApplicationProperties | undefined): Readonly<Record<string, unknown>> {
  const entries = Object.entries(properties ?? {}).flatMap(([name, value]) =>
    prefixes
      .filter((prefix) => name.startsWith(prefix))
      .map((prefix) => [name.slice(prefix.length), value] as const),
  );
  return Object.fromEntries(entries);
}

function isStructured({ contentType }: Pick<EnvelopedMessage, "contentType">): boolean {
  return typeof contentType === "string" && contentType.trimStart().toLowerCase().startsWith(structured);
}

function structuredType({ contentType }: WritableProperties, format: "json" | "avro"): string {
  return contentType !== undefined && isStructured({ contentType }) ? contentType : `${structured}+${format}`;
}

function jsonEvent(attributes: object, body: unknown): object {
  if (body instanceof Uint8Array)
    return { datacontenttype: "application/octet-stream", ...attributes, data_base64: base64(body) };
  return { datacontenttype: "application/json", ...attributes, data: body };
}

/** Text and bytes unchanged, other values as JSON. */
function avroEvent(attributes: object, body: unknown): object {
  const isBytes = body instanceof Uint8Array;
  const data = isBytes ? body : jsonBytes(body);
  const datacontenttype = isBytes ? "application/octet-stream" : "application/json";
  return { attribute: { datacontenttype, ...attributes }, data };
}

function factsOf(message: EnvelopedMessage): EnvelopeFacts {
  const body = jsonBody(message);
  const event: object =
    attributesOf(message.applicationProperties) ?? (isRecord(body) && looksLikeEvent(body) ? body : {});
  const type = textMember(event, "type");
  const { time } = event as { readonly time?: unknown };
  return {
    messageId: textMember(event, "id") ?? idText(message.messageId),
    types: type === undefined ? [] : [type],
    correlationId: textMember(event, "correlationid") ?? idText(message.correlationId),
    conversationId: undefined,
    replyTo: message.replyTo,
    sentAt: time instanceof Date ? time : instantOf(typeof time === "string" ? time : undefined),
  };
}
