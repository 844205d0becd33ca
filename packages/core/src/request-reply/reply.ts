import type { CallOptions } from "../contracts/transport.js";
import { WaybillError } from "../errors/error.js";
import { quoted } from "../errors/wire-text.js";
import { kindOf, requireOneOf } from "../foundation/known-options.js";
import type { DeliveredProperties, Message, WritableProperties } from "../message/message.js";
import { acceptProperty, type FormatNegotiation } from "./accept.js";
import { replyEntity } from "./reply-address.js";
import type { ReplySenders } from "./reply-senders.js";

/** What a reply needs of the request: any received message has it, also one whose body nobody could read. */
export type RepliableMessage = Pick<
  DeliveredProperties,
  "messageId" | "correlationId" | "replyTo" | "replyToSessionId" | "applicationProperties"
>;

/** How a reply is sent. */
export interface ReplyOptions extends CallOptions {
  /**
   * Properties of the reply. A `correlationId`, `sessionId` or `contentType` that stands here goes before the one that follows from the
   * request.
   */
  readonly properties?: WritableProperties | undefined;
  /**
   * Where to send the reply: a queue or topic, or its absolute address in the client's own namespace, such as `sb://shop.servicebus.windows.net/replies`.
   * Default: the request's `replyTo`, which comes from whoever sent it: name the entity here, or check it, where that matters.
   */
  readonly replyTo?: string | undefined;
  /**
   * What to do when the client has a serializer for none of the media types that the request accepts: `"reject"`, or `"send"` in the
   * format of the main serializer. Default: `"reject"`.
   */
  readonly whenNotAcceptable?: "reject" | "send" | undefined;
}

/**
 * Sends the answer to a request: to its `replyTo`, with its `messageId` as `correlationId` and its `replyToSessionId` as `sessionId`, in a
 * format that it accepts. Source: Azure's "Messages, payloads, and serialization", message routing and correlation.
 */
export async function reply(
  request: RepliableMessage,
  body: unknown,
  options: ReplyOptions,
  senders: ReplySenders,
  negotiation: FormatNegotiation,
  namespace: string | undefined,
): Promise<void> {
  if (typeof request !== "object" || request === null) {
    throw new TypeError(`reply answers a received message; got ${kindOf(request)}.`);
  }
  const queueOrTopic = replyAddress(request, options, namespace);
  const contentType = replyContentType(request, options, negotiation, queueOrTopic);
  const message: Message & Record<string, unknown> = {
    ...options.properties,
    body,
    correlationId: options.properties?.correlationId ?? request.messageId ?? request.correlationId,
    sessionId: options.properties?.sessionId ?? request.replyToSessionId,
    contentType,
  };
  await senders.send(queueOrTopic, message, options);
}

function replyAddress(
  request: RepliableMessage,
  options: ReplyOptions,
  namespace: string | undefined,
): string {
  const address = options.replyTo ?? request.replyTo;
  if (typeof address === "string" && address !== "") {
    return replyEntity(address, namespace, request.messageId);
  }
  throw new WaybillError(
    "operation-invalid",
    "It has no replyTo, so its sender expects no reply; name a queue or topic in the options to send one.",
    { messageId: request.messageId },
  );
}

function replyContentType(
  { messageId, applicationProperties }: RepliableMessage,
  { properties, whenNotAcceptable = "reject" }: ReplyOptions,
  negotiation: FormatNegotiation,
  entityPath: string,
): string | undefined {
  requireOneOf("whenNotAcceptable", whenNotAcceptable, ["reject", "send"]);
  const wish = properties?.contentType;
  const isSending = whenNotAcceptable === "send";
  if (wish !== undefined) {
    if (isSending || negotiation.accepts(applicationProperties, wish)) return wish;
    throw notAcceptableError(`not ${quoted(wish)}`);
  }
  const format = negotiation.choose(applicationProperties);
  if (format !== undefined) return format.contentType;
  if (isSending) return undefined;
  throw notAcceptableError("none of which this client has a serializer for");

  function notAcceptableError(what: string): WaybillError {
    const accept = quoted(String(applicationProperties[acceptProperty]));
    const text = `The request accepts ${accept}, ${what}. Add a serializer, or reply with whenNotAcceptable: "send".`;
    return new WaybillError("serialization-failed", text, { messageId, entityPath, stage: "select" });
  }
}
