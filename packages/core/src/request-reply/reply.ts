import { isObject, kindOf, quoted, requireOneOf } from "@waybill/foundation";
import type { CallOptions } from "../contracts/transport.js";
import { WaybillError } from "../errors/error.js";
import type {
  DeliveredProperties,
  Message,
  ReceivedMessage,
  WritableProperties,
} from "../message/message.js";
import { isTypedMessage } from "../message-types/types-to-send.js";
import { acceptProperty, type FormatNegotiation } from "./accept.js";
import { replyEntity } from "./reply-address.js";
import type { ReplySenders } from "./reply-senders.js";

/** The properties of the request that a reply needs; every received message has them, including an undecoded one. */
export type RepliableMessage = Pick<
  DeliveredProperties,
  "messageId" | "correlationId" | "replyTo" | "replyToSessionId" | "applicationProperties"
> &
  // Its format, for a reply to a request that accepts any.
  Partial<Pick<ReceivedMessage, "contentType" | "deserialization">>;

/** Options of sending a reply. */
export interface ReplyOptions extends CallOptions {
  /**
   * Properties of the reply. A `correlationId`, `sessionId` or `contentType` here overrides the one derived from the request. Default:
   * none.
   */
  readonly properties?: WritableProperties | undefined;
  /**
   * Where to send the reply: a queue or topic, or its absolute address in the client's own namespace, such as `sb://shop.servicebus.windows.net/replies`.
   * Default: the request's `replyTo`, which its sender chose: set it here, or check it, if you do not trust senders.
   */
  readonly replyTo?: string | undefined;
  /**
   * What to do when the client has a serializer for none of the accepted media types: `"reject"` the call, or `"send"` the reply in the
   * format of the main serializer. Default: `"reject"`.
   */
  readonly whenNotAcceptable?: "reject" | "send" | undefined;
}

/**
 * Sends the reply to a request: to its `replyTo`, with its `messageId` as `correlationId` and its `replyToSessionId` as `sessionId`, in an
 * accepted format; if the request does not say what it accepts, in its own. A typed message as body is sent as that message. Source: Azure's
 * "Messages, payloads, and serialization", message routing and correlation.
 */
export async function reply(
  request: RepliableMessage,
  body: unknown,
  options: ReplyOptions,
  senders: ReplySenders,
  negotiation: FormatNegotiation,
  namespace: string | undefined,
): Promise<void> {
  if (!isObject(request)) {
    throw new TypeError(`reply answers a received message; got ${kindOf(request)}.`);
  }
  const queueOrTopic = replyAddress(request, options, namespace);
  const { body: content, ...own }: Message = isTypedMessage(body) ? body : { body };
  const properties: WritableProperties = { ...own, ...options.properties };
  const contentType = replyContentType(request, { ...options, properties }, negotiation, queueOrTopic);
  const message: Message & Record<string, unknown> = {
    ...properties,
    body: content,
    correlationId: properties.correlationId ?? request.messageId ?? request.correlationId,
    sessionId: properties.sessionId ?? request.replyToSessionId,
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
  request: RepliableMessage,
  { properties, whenNotAcceptable = "reject" }: ReplyOptions,
  negotiation: FormatNegotiation,
  entityPath: string,
): string | undefined {
  const { messageId, applicationProperties } = request;
  requireOneOf("whenNotAcceptable", whenNotAcceptable, ["reject", "send"]);
  const own = properties?.contentType;
  const isSending = whenNotAcceptable === "send";
  if (own !== undefined) {
    if (isSending || negotiation.accepts(applicationProperties, own)) return own;
    throw notAcceptableError(`not ${quoted(own)}`);
  }
  const format = negotiation.choose(request);
  if (format !== undefined) return format.contentType;
  if (isSending) return undefined;
  throw notAcceptableError("none of which this client has a serializer for");

  function notAcceptableError(what: string): WaybillError {
    const accept = quoted(String(applicationProperties[acceptProperty]));
    const text = `The request accepts ${accept}, ${what}. Add a serializer, or reply with whenNotAcceptable: "send".`;
    return new WaybillError("serialization-failed", text, { messageId, entityPath, stage: "select" });
  }
}
