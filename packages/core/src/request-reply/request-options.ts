import type { CallOptions } from "../contracts/transport.js";
import { durationMs } from "../foundation/duration.js";
import { requireInteger } from "../foundation/integer.js";
import { type OptionNames, requireKnownOptions, requireOneOf } from "../foundation/known-options.js";
import type { Message, ReceivedMessage } from "../message/message.js";
import type { ProcessErrorArgs } from "../processing/processor-options.js";
import type { UnmatchedReplyEvent, UnmatchedReplyPolicy } from "./unmatched-reply.js";

/** A request to send; where its replies go is the requester's to say. */
export type RequestMessage<Body = unknown> = Omit<Message<Body>, "replyTo" | "replyToSessionId">;

/** How one request waits. */
export interface RequestOptions extends CallOptions {
  /** How long to wait for replies, in milliseconds; `Infinity` waits until the requester closes. Default: the requester's. */
  readonly timeoutInMs?: number | undefined;
}

/** How one request gathers replies. */
export interface RequestManyOptions<Reply = unknown> extends RequestOptions {
  /** Ends after so many replies. Default: `Infinity`, until the time is up. */
  readonly maxReplies?: number | undefined;
  /** Ends after the reply for which it holds. */
  isLast?(reply: ReceivedMessage<Reply>): boolean;
  /** What a reply does whose body cannot be deserialized: `"reject"` ends the iteration with its error, `"skip"` counts it. Default: `"reject"`. */
  readonly undeserializableReplies?: "reject" | "skip" | undefined;
}

/** How a requester works. */
export interface RequesterOptions {
  /** The session in which replies come; needed where the reply queue requires sessions. The requester holds it while it is open. */
  readonly replyToSessionId?: string | undefined;
  /** What requests carry as `replyTo`. Default: the queue or topic; another where that forwards to it. */
  readonly replyTo?: string | undefined;
  /**
   * The media types that replies may have, as in HTTP's `Accept`; `false` leaves it unsaid. Default: the first media type of each of the
   * client's serializers.
   */
  readonly accept?: string | false | undefined;
  /** How long a request waits, in milliseconds. Default: 60 000. */
  readonly timeoutInMs?: number | undefined;
  /** How many requests may wait at once; more reject with `quota-exceeded`. Default: 10 000. */
  readonly maxPendingRequests?: number | undefined;
  /** How many replies of one request may wait to be taken from the iteration; more end it with `quota-exceeded`. Default: 1 000. */
  readonly maxBufferedReplies?: number | undefined;
  /** How many replies may be on the way in at once. With 1 their order is kept even where a serializer is asynchronous. Default: 32. */
  readonly maxConcurrentReplies?: number | undefined;
  /** What happens to replies whose request has ended. Default: `"complete"`. */
  readonly lateReplies?: "complete" | "deadLetter" | undefined;
  /**
   * What happens to replies to requests this requester did not make. Default: `"deadLetter"`. `"complete"` suits a subscription that gets
   * the replies of others too, `"abandon"` a queue that several requesters share without sessions.
   */
  readonly unknownReplies?: UnmatchedReplyPolicy | undefined;
  /** Is notified of every reply that nobody waits for, after it was settled. What it throws is ignored. */
  readonly onUnmatchedReply?: ((event: UnmatchedReplyEvent) => void) | undefined;
  /** Gets everything that goes wrong while replies are received. What it throws is ignored. */
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
} as const);

const optionNames: OptionNames<RequesterOptions> = {
  replyToSessionId: true,
  replyTo: true,
  accept: true,
  timeoutInMs: true,
  maxPendingRequests: true,
  maxBufferedReplies: true,
  maxConcurrentReplies: true,
  lateReplies: true,
  unknownReplies: true,
  onUnmatchedReply: true,
  processError: true,
};

/** {@link RequesterOptions} checked, with every default filled in. */
export interface ResolvedRequesterOptions {
  readonly replyToSessionId: string | undefined;
  readonly replyTo: string;
  /** The text of the application property, or undefined to leave it out. */
  readonly accept: string | undefined;
  readonly timeoutInMs: number;
  readonly maxPendingRequests: number;
  readonly maxBufferedReplies: number;
  readonly maxConcurrentReplies: number;
  readonly lateReplies: UnmatchedReplyPolicy;
  readonly unknownReplies: UnmatchedReplyPolicy;
  readonly onUnmatchedReply: (event: UnmatchedReplyEvent) => void;
  readonly processError: (args: ProcessErrorArgs) => Promise<void> | void;
}

/** Checks the options and fills in the defaults. Throws `TypeError` for values no program should pass. */
export function resolveRequesterOptions(
  options: RequesterOptions,
  queueOrTopic: string,
  readableTypes: string,
): ResolvedRequesterOptions {
  requireKnownOptions("createRequester", options, optionNames);
  const defaults = defaultRequesterOptions;
  const { replyTo = queueOrTopic, accept = readableTypes, replyToSessionId } = options;
  requireName("replyTo", replyTo);
  if (replyToSessionId !== undefined) requireName("replyToSessionId", replyToSessionId);
  if (accept !== false) requireName("accept", accept);
  return Object.freeze({
    replyToSessionId,
    replyTo,
    accept: accept === false ? undefined : accept,
    timeoutInMs: durationMs("timeoutInMs", options.timeoutInMs, defaults.timeoutInMs),
    maxPendingRequests: count("maxPendingRequests", options.maxPendingRequests),
    maxBufferedReplies: count("maxBufferedReplies", options.maxBufferedReplies),
    maxConcurrentReplies: count("maxConcurrentReplies", options.maxConcurrentReplies),
    lateReplies: requireOneOf("lateReplies", options.lateReplies ?? defaults.lateReplies, [
      "complete",
      "deadLetter",
    ]),
    unknownReplies: requireOneOf("unknownReplies", options.unknownReplies ?? defaults.unknownReplies, [
      "complete",
      "deadLetter",
      "abandon",
    ]),
    onUnmatchedReply: options.onUnmatchedReply ?? ignore,
    processError: options.processError ?? ignore,
  });
}

type CountName = "maxPendingRequests" | "maxBufferedReplies" | "maxConcurrentReplies";

function count(name: CountName, given: number | undefined): number {
  return requireInteger(name, given ?? defaultRequesterOptions[name], 1);
}

function requireName(name: string, given: unknown): void {
  if (typeof given === "string" && given !== "") return;
  throw new TypeError(`${name} must be a text that is not empty.`);
}

function ignore(): void {}
