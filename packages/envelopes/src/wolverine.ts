import { requireKnownOptions } from "@waybill/core/serializer";
import {
  type Envelope,
  type EnvelopedMessage,
  type EnvelopeOptions,
  idText,
  instantOf,
  messageIdOf,
  textMember,
  typeTable,
} from "./envelope.js";

/** Properties of every Wolverine message. Source: Wolverine, `EnvelopeConstants`. */
const marks = ["accepted-content-types", "sent-at", "conversation-id", "reply-uri", "attempts"] as const;

/**
 * Wolverine: the type is the subject, all other metadata is in string application properties. Throws `TypeError` for an unknown option or
 * invalid `types`. Source: `AzureServiceBusEnvelopeMapper`.
 */
export function wolverine(options: EnvelopeOptions = {}): Envelope {
  requireKnownOptions("wolverine", options, { types: true });
  const table = typeTable(options.types);
  const isWolverine = ({ subject, applicationProperties }: EnvelopedMessage) =>
    typeof subject === "string" &&
    subject !== "" &&
    marks.filter((name) => textMember(applicationProperties, name) !== undefined).length >= 2;
  return Object.freeze({
    name: "Wolverine",
    recognises: isWolverine,
    identify({ subject }) {
      const messageType = table.toLocal(typeof subject === "string" && subject !== "" ? [subject] : []);
      return messageType === undefined ? undefined : { messageType, version: undefined };
    },
    stamp({ messageType }, message) {
      const { applicationProperties = {}, contentType = "application/json" } = message;
      const messageId = messageIdOf(message);
      return {
        messageId,
        contentType,
        subject: table.toForeign(messageType),
        applicationProperties: {
          "conversation-id": messageId,
          ...applicationProperties,
          "accepted-content-types": "application/json",
          "sent-at": new Date().toISOString(),
          attempts: "0",
          ...(message.replyTo === undefined ? undefined : { "reply-uri": replyUri(message.replyTo) }),
        },
      };
    },
    facts({ subject, messageId, correlationId, replyTo, applicationProperties }) {
      const of = (name: string) => textMember(applicationProperties, name);
      return {
        messageId: idText(messageId),
        types: typeof subject === "string" && subject !== "" ? [subject] : [],
        correlationId: idText(correlationId),
        conversationId: of("conversation-id"),
        replyTo: queueOf(of("reply-uri")) ?? replyTo,
        sentAt: instantOf(of("sent-at")),
      };
    },
    replyProperties(request) {
      const { messageId, correlationId } = this.facts(request);
      return {
        ...(correlationId === undefined ? undefined : { correlationId }),
        // Wolverine finds the pending request by the id of the message that it sent.
        applicationProperties: messageId === undefined ? {} : { "conversation-id": messageId },
      };
    },
  } satisfies Envelope);
}

const scheme = "asb://queue/";

function replyUri(entity: string): string {
  return entity.includes("://") ? entity : scheme + entity;
}

function queueOf(uri: string | undefined): string | undefined {
  return uri?.startsWith(scheme) ? uri.slice(scheme.length) : uri;
}
