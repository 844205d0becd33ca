import { type EncodedMessage, type MessageTypeResolver, propertyResolver } from "@waybill/core";
import type { Envelope } from "./envelope.js";

/** How one client uses several envelopes. */
export interface EnvelopesOptions {
  /** The resolver for messages without any of the envelopes, and for sent messages. Default: the subject, and `messageVersion`. */
  readonly otherwise?: MessageTypeResolver | undefined;
}

/**
 * One resolver for a queue that several buses write to: the first envelope that recognises a message reads its type. Messages are sent as
 * `otherwise` writes them, which may be one of the envelopes. Throws `TypeError` for anything but an array of envelopes.
 */
export function envelopes(
  all: readonly Envelope[],
  { otherwise = propertyResolver() }: EnvelopesOptions = {},
): MessageTypeResolver {
  if (!Array.isArray(all) || !all.every((each) => typeof each?.recognises === "function"))
    throw new TypeError("envelopes: the first argument must be an array of envelopes.");
  const find = (message: EncodedMessage) =>
    all.find((each) => each.recognises({ ...message, rawBody: message.body }));
  const { wrap } = otherwise;
  return Object.freeze({
    identify(message, isKnown) {
      const envelope = find(message);
      return (envelope ?? otherwise).identify(message, isKnown);
    },
    open: (body, message) => (find(message) ?? otherwise).open?.(body, message),
    stamp: (identity, message) => otherwise.stamp(identity, message),
    ...(wrap === undefined
      ? undefined
      : { wrap: (body, identity, message) => wrap.call(otherwise, body, identity, message) }),
  } satisfies MessageTypeResolver);
}
