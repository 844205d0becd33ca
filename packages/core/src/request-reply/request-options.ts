import {
  type Resolved,
  requireDuration,
  requireInteger,
  requireOneOf,
  withDefaults,
} from "@waybill/foundation";
import type { CallOptions } from "../contracts/transport.js";
import type { Message, ReceivedMessage } from "../message/message.js";
import type { ProcessErrorArgs } from "../receive/processing/processor-options.js";
import type { UnmatchedReplyEvent, UnmatchedReplyPolicy } from "./unmatched-reply.js";

/** A request to send; the requester sets `replyTo` and `replyToSessionId`. */
export type RequestMessage<Body = unknown> = Omit<Message<Body>, "replyTo" | "replyToSessionId">;

/** A request with its own `replyTo`, and with `replyToSessionId` if that entity requires sessions. */
export type AddressedRequest<Body = unknown> = Message<Body> & { readonly replyTo: string };

/** Where the replies to an {@link AddressedRequest} are received. */
export interface ReplySourceOptions {
  /** The subscription from which to receive replies when `replyTo` is a topic. Default: none, `replyTo` is a queue. */
  readonly replySubscription?: string | undefined;
}

/** Options of a request. */
export interface RequestOptions extends CallOptions {
  /** How long to wait for replies, in milliseconds; `Infinity` waits until the requester closes. Default: the requester's. */
  readonly timeoutInMs?: number | undefined;
}

/** Options of a request with several replies. */
export interface RequestManyOptions<Reply = unknown> extends RequestOptions {
  /** Ends after this many replies. Default: `Infinity`, until the timeout. */
  readonly maxReplies?: number | undefined;
  /** Ends after a reply for which it returns true. */
  isLast?(reply: ReceivedMessage<Reply>): boolean;
  /** What happens after an undeserializable reply: `"reject"` ends the iteration with its error, `"skip"` only counts it. Default: `"reject"`. */
  readonly undeserializableReplies?: "reject" | "skip" | undefined;
}

/** Options of a requester. */
export interface RequesterOptions {
  /**
   * The session for replies; required if the reply queue requires sessions. The requester keeps it locked while it is open. Default: none.
   */
  readonly replyToSessionId?: string | undefined;
  /** The `replyTo` of requests. Default: the queue or topic; set it if replies are forwarded from another entity. */
  readonly replyTo?: string | undefined;
  /**
   * The accepted media types of replies, as in HTTP's `Accept`; `false` sends none. Default: the first media type of each of the client's
   * serializers.
   */
  readonly accept?: string | false | undefined;
  /** How long a request waits for replies, in milliseconds. Default: 60 000. */
  readonly timeoutInMs?: number | undefined;
  /** How many requests may be pending; further ones reject with `quota-exceeded`. Default: 10 000. */
  readonly maxPendingRequests?: number | undefined;
  /** How many replies to one request may be buffered for the iteration; one more ends it with `quota-exceeded`. Default: 1 000. */
  readonly maxBufferedReplies?: number | undefined;
  /** How many replies are processed concurrently. With 1 their order is kept even if a serializer is asynchronous. Default: 32. */
  readonly maxConcurrentReplies?: number | undefined;
  /** What happens to replies whose request has ended. Default: `"complete"`. */
  readonly lateReplies?: "complete" | "deadLetter" | undefined;
  /**
   * What happens to replies to requests of other requesters. Default: `"deadLetter"`. Use `"complete"` for a subscription that also receives
   * the replies of others, `"abandon"` for a queue that several requesters share without sessions.
   */
  readonly unknownReplies?: UnmatchedReplyPolicy | undefined;
  /** Called with every reply for which no request is pending, after it was settled. Its errors are ignored. */
  readonly onUnmatchedReply?: ((event: UnmatchedReplyEvent) => void) | undefined;
  /** Called with every error of receiving replies. Its own errors are ignored. */
  readonly processError?: ((args: ProcessErrorArgs) => Promise<void> | void) | undefined;
}

/** The defaults of {@link RequesterOptions}. */
const defaultRequesterOptions = Object.freeze({
  timeoutInMs: 60_000,
  maxPendingRequests: 10_000,
  maxBufferedReplies: 1_000,
  maxConcurrentReplies: 32,
  lateReplies: "complete",
  unknownReplies: "deadLetter",
  onUnmatchedReply: ignore,
  processError: ignore,
  replyToSessionId: undefined,
  accept: undefined,
} as const);

/** {@link RequesterOptions} checked, with every default filled in. */
export interface ResolvedRequesterOptions
  extends Omit<Resolved<RequesterOptions>, "replyToSessionId" | "accept"> {
  readonly replyToSessionId: string | undefined;
  /** The value of the application property; undefined for the types that the client reads, false to leave it out. */
  readonly accept: string | false | undefined;
}

/** Checks the options and fills in the defaults. Throws `TypeError`. */
export function resolveRequesterOptions(
  options: RequesterOptions,
  queueOrTopic: string,
): ResolvedRequesterOptions {
  const defaults = { ...defaultRequesterOptions, replyTo: queueOrTopic };
  const resolved = withDefaults("createRequester", options, defaults);
  const { replyTo, accept, replyToSessionId } = resolved;
  requireName("replyTo", replyTo);
  if (replyToSessionId !== undefined) requireName("replyToSessionId", replyToSessionId);
  if (accept !== undefined && accept !== false) requireName("accept", accept);
  requireDuration("timeoutInMs", resolved.timeoutInMs, 0, Number.POSITIVE_INFINITY);
  for (const name of ["maxPendingRequests", "maxBufferedReplies", "maxConcurrentReplies"] as const) {
    requireInteger(name, resolved[name], 1);
  }
  requireOneOf("lateReplies", resolved.lateReplies, ["complete", "deadLetter"]);
  requireOneOf("unknownReplies", resolved.unknownReplies, ["complete", "deadLetter", "abandon"]);
  return Object.freeze(resolved);
}

function requireName(name: string, given: unknown): void {
  if (typeof given === "string" && given !== "") return;
  throw new TypeError(`${name} must be a text that is not empty.`);
}

function ignore(): void {}
