import { decodeFailure, requireKnownOptions, requireOneOf } from "@waybill/core/serializer";
import type { WritableProperties } from "@waybill/core/transport";
import { typeList } from "./dotnet-types.js";
import {
  type Envelope,
  type EnvelopedMessage,
  type EnvelopeOptions,
  idText,
  instantOf,
  isRecord,
  messageIdOf,
  textMember,
  typeTable,
} from "./envelope.js";
import { jsonBody } from "./json-body.js";

/** How messages of MassTransit are written. */
export interface MassTransitOptions extends EnvelopeOptions {
  /** `"envelope"` (default): `application/vnd.masstransit+json`; `"raw"`: only the message as JSON, its types in `MT-MessageType`. */
  readonly writes?: "envelope" | "raw" | undefined;
  /** The sender's address, such as `sb://shop.servicebus.windows.net/orders`. Default: it is left out. */
  readonly sourceAddress?: string | undefined;
}

const mediaType = "application/vnd.masstransit";
const written = `${mediaType}+json`;
const prefix = "urn:message:";

/**
 * MassTransit: a JSON envelope, or raw JSON with its types in `MT-MessageType`. Types are URNs, `urn:message:Shop.Contracts:OrderPlaced`, also
 * accepted as `Shop.Contracts.OrderPlaced`; the message type is the first one that `types` lists. Throws `TypeError` for an invalid option.
 * Source: MassTransit, `ServiceBusSendTransportContext`, `MessageHeaders`.
 */
export function massTransit(options: MassTransitOptions = {}): Envelope {
  requireKnownOptions("massTransit", options, { types: true, writes: true, sourceAddress: true });
  const { writes = "envelope", sourceAddress } = options;
  requireOneOf("massTransit: writes", writes, ["envelope", "raw"]);
  const table = typeTable(options.types, plainName);
  const rawTypes = (message: EnvelopedMessage) =>
    typeList(textMember(message.applicationProperties, "MT-MessageType"));
  const envelopeOf = (message: EnvelopedMessage) => (isEnveloped(message) ? jsonBody(message) : undefined);
  return Object.freeze({
    name: "MassTransit",
    recognises: (message) => isEnveloped(message) || rawTypes(message).length > 0,
    identify(message) {
      if (isEnveloped(message)) return undefined;
      const messageType = table.toLocal(rawTypes(message));
      return messageType === undefined ? undefined : { messageType, version: undefined };
    },
    open(body, message) {
      if (!isEnveloped(message)) return undefined;
      if (!isRecord(body) || !Object.hasOwn(body, "message")) throw noEnvelope("no message");
      const messageType = table.toLocal(typesOf(body));
      if (messageType === undefined) throw noEnvelope("no type");
      return { messageType, version: undefined, body: body.message };
    },
    stamp({ messageType }, message) {
      const { applicationProperties = {} } = message;
      const messageId = messageIdOf(message);
      if (writes === "envelope") return { messageId, contentType: written, applicationProperties };
      return {
        messageId,
        contentType: message.contentType ?? "application/json",
        applicationProperties: {
          ...applicationProperties,
          "MT-MessageType": urn(table.toForeign(messageType)),
          ...(message.replyTo === undefined ? undefined : { "MT-Response-Address": message.replyTo }),
        },
      };
    },
    ...(writes === "raw"
      ? undefined
      : {
          wrap: (body, { messageType }, message) => ({
            ...addresses(message),
            messageId: messageIdOf(message),
            correlationId: idText(message.correlationId),
            sourceAddress,
            messageType: [urn(table.toForeign(messageType))],
            message: body,
            sentTime: new Date().toISOString(),
            headers: {},
          }),
        }),
    facts(message) {
      const envelope = envelopeOf(message) ?? {};
      const { applicationProperties } = message;
      const of = (member: string, property: string) =>
        textMember(envelope, member) ?? textMember(applicationProperties, property);
      return {
        messageId: textMember(envelope, "messageId") ?? idText(message.messageId),
        types: isEnveloped(message) ? typesOf(envelope) : rawTypes(message),
        correlationId: textMember(envelope, "correlationId") ?? idText(message.correlationId),
        conversationId: of("conversationId", "ConversationId"),
        replyTo: of("responseAddress", "MT-Response-Address") ?? message.replyTo,
        sentAt: instantOf(textMember(envelope, "sentTime")),
      };
    },
    replyProperties(request) {
      const envelope = envelopeOf(request) ?? {};
      const requestId =
        textMember(envelope, "requestId") ?? textMember(request.applicationProperties, "RequestId");
      const { conversationId, correlationId } = this.facts(request);
      return {
        ...(correlationId === undefined ? undefined : { correlationId }),
        applicationProperties: {
          ...(requestId === undefined ? undefined : { RequestId: requestId }),
          ...(conversationId === undefined ? undefined : { ConversationId: conversationId }),
        },
      };
    },
  } satisfies Envelope);
}

/** The metadata in the envelope; the raw form has it in properties. */
function addresses({ applicationProperties, replyTo }: WritableProperties): object {
  return {
    requestId: textMember(applicationProperties, "RequestId"),
    conversationId: textMember(applicationProperties, "ConversationId"),
    responseAddress: textMember(applicationProperties, "MT-Response-Address") ?? replyTo,
  };
}

function isEnveloped({ contentType }: EnvelopedMessage): boolean {
  return typeof contentType === "string" && contentType.trimStart().toLowerCase().startsWith(mediaType);
}

function typesOf(envelope: Readonly<Record<string, unknown>>): string[] {
  const types = Object.hasOwn(envelope, "messageType") ? envelope.messageType : undefined;
  return Array.isArray(types) ? types.filter((type) => typeof type === "string") : [];
}

/** `urn:message:Shop.Contracts:OrderPlaced` as `Shop.Contracts.OrderPlaced`. */
function plainName(type: string): string {
  const name = type.startsWith(prefix) ? type.slice(prefix.length) : type;
  return name.replaceAll(":", ".");
}

function urn(name: string): string {
  if (name.startsWith(prefix)) return name;
  const dot = name.lastIndexOf(".");
  return prefix + (dot < 0 || name.includes(":") ? name : `${name.slice(0, dot)}:${name.slice(dot + 1)}`);
}

function noEnvelope(what: string): Error {
  return decodeFailure(
    "malformed",
    `The content type declares an envelope of MassTransit, but the body has ${what}.`,
  );
}
