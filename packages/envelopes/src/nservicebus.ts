import type { ApplicationPropertyValue } from "@waybill/core";
import { requireKnownOptions } from "@waybill/core/serializer";
import { dotnetFullName, typeList } from "./dotnet-types.js";
import {
  type Envelope,
  type EnvelopeOptions,
  idText,
  messageIdOf,
  textMember,
  typeTable,
} from "./envelope.js";

/** How messages of NServiceBus are written. */
export interface NServiceBusOptions extends EnvelopeOptions {
  /** The sender's endpoint (`NServiceBus.OriginatingEndpoint`). Default: it is left out. */
  readonly endpoint?: string | undefined;
  /** The `NServiceBus.MessageIntent` of messages that have none. Default `"Send"`. */
  readonly intent?: "Send" | "Publish" | undefined;
}

/**
 * NServiceBus: every header is a string application property, the types in `NServiceBus.EnclosedMessageTypes`, the most derived first. The
 * message type is the first one that `types` lists. Bodies are JSON or XML by their content type. Throws `TypeError` for an unknown option
 * or invalid `types`. Source: NServiceBus.Transport.AzureServiceBus, `OutgoingMessageExtensions`.
 */
export function nserviceBus(options: NServiceBusOptions = {}): Envelope {
  requireKnownOptions("nserviceBus", options, { types: true, endpoint: true, intent: true });
  const { endpoint, intent = "Send" } = options;
  const table = typeTable(options.types, dotnetFullName);
  return Object.freeze({
    name: "NServiceBus",
    recognises: ({ applicationProperties }) =>
      textMember(applicationProperties, header("EnclosedMessageTypes")) !== undefined ||
      textMember(applicationProperties, header("MessageId")) !== undefined,
    identify({ applicationProperties }) {
      const types = typeList(textMember(applicationProperties, header("EnclosedMessageTypes")));
      const messageType = table.toLocal(types);
      return messageType === undefined ? undefined : { messageType, version: undefined };
    },
    stamp({ messageType }, message) {
      const { applicationProperties = {}, contentType = "application/json" } = message;
      const messageId = messageIdOf(message);
      const given = (name: string, value: ApplicationPropertyValue) =>
        applicationProperties[header(name)] ?? value;
      return {
        messageId,
        contentType,
        subject: messageType,
        applicationProperties: {
          ...applicationProperties,
          [header("MessageId")]: given("MessageId", messageId),
          [header("MessageIntent")]: given("MessageIntent", intent),
          [header("EnclosedMessageTypes")]: table.toForeign(messageType),
          [header("ContentType")]: contentType,
          [header("TimeSent")]: given("TimeSent", timeText(new Date())),
          [header("ConversationId")]: given("ConversationId", messageId),
          [header("CorrelationId")]: given("CorrelationId", idText(message.correlationId) ?? messageId),
          ...(message.replyTo === undefined ? undefined : { [header("ReplyToAddress")]: message.replyTo }),
          ...(endpoint === undefined ? undefined : { [header("OriginatingEndpoint")]: endpoint }),
        },
      };
    },
    facts({ messageId, correlationId, replyTo, applicationProperties }) {
      const of = (name: string) => textMember(applicationProperties, header(name));
      return {
        messageId: of("MessageId") ?? idText(messageId),
        types: typeList(of("EnclosedMessageTypes")),
        correlationId: of("CorrelationId") ?? idText(correlationId),
        conversationId: of("ConversationId"),
        replyTo: of("ReplyToAddress") ?? replyTo,
        sentAt: timeOf(of("TimeSent")),
      };
    },
    replyProperties(request) {
      const facts = this.facts(request);
      return {
        ...(facts.correlationId === undefined ? undefined : { correlationId: facts.correlationId }),
        applicationProperties: {
          [header("MessageIntent")]: "Reply",
          ...(facts.messageId === undefined ? undefined : { [header("RelatedTo")]: facts.messageId }),
          ...(facts.correlationId === undefined
            ? undefined
            : { [header("CorrelationId")]: facts.correlationId }),
          ...(facts.conversationId === undefined
            ? undefined
            : { [header("ConversationId")]: facts.conversationId }),
        },
      };
    },
  } satisfies Envelope);
}

function header(name: string): string {
  return `NServiceBus.${name}`;
}

/** `2026-11-05 12:34:56:789000 Z`. Source: NServiceBus, `DateTimeOffsetHelper`. */
function timeText(at: Date): string {
  return at.toISOString().replace("T", " ").replace(".", ":").replace("Z", "000 Z");
}

function timeOf(text: string | undefined): Date | undefined {
  const [, day, time, ms] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d):(\d{3})\d{3} Z$/.exec(text ?? "") ?? [];
  const date = new Date(`${day}T${time}.${ms}Z`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
