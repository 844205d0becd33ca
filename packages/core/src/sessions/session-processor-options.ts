import type { ReceiveMode } from "../contracts/transport.js";
import { durationMs } from "../foundation/duration.js";
import { requireInteger } from "../foundation/integer.js";
import { type OptionNames, requireKnownOptions } from "../foundation/known-options.js";
import type { UndecodedMessage } from "../message/message.js";
import type { MessageType } from "../message-types/message-type.js";
import type { MessageContext } from "../processing/in-flight-message.js";
import {
  defaultSubscribeOptions,
  type MessageHandlers,
  type ProcessorOptions,
} from "../processing/processor-options.js";
import type { TypedMessageHandlers } from "../processing/typed-handlers.js";
import {
  defaultUndeserializableAction,
  requireUndeserializableAction,
  type UndeserializableAction,
} from "../receiving/undeserializable-action.js";
import type { SessionReceiver } from "./session-receiver.js";

/** What a handler gets beside a message of a session. */
export interface SessionMessageContext<Undecoded extends UndecodedMessage = never> extends MessageContext {
  /** The session: its state, its deferred messages, its lock. Do not close it; `releaseSession` does. */
  readonly session: SessionReceiver<Undecoded>;
  /** Lets the session go when the handlers that run are done, for example because its work is finished. */
  releaseSession(): void;
}

/** The functions that a session processor calls. */
export interface SessionMessageHandlers<Body = unknown, Undecoded extends UndecodedMessage = never>
  extends MessageHandlers<Body, Undecoded, SessionMessageContext<Undecoded>> {
  /** Runs when a session was accepted, before its first message. If it throws, the session is let go. */
  sessionInitializing?(session: SessionReceiver<Undecoded>): Promise<void> | void;
  /** Runs after a session's last message, while its lock still holds unless that was lost. */
  sessionClosing?(session: SessionReceiver<Undecoded>): Promise<void> | void;
}

/** The functions that a session processor by message type calls. */
export interface TypedSessionMessageHandlers<Types extends MessageType>
  extends TypedMessageHandlers<Types, SessionMessageContext<UndecodedMessage>>,
    Pick<SessionMessageHandlers<unknown, UndecodedMessage>, "sessionInitializing" | "sessionClosing"> {}

/** How a session processor works. */
export interface SubscribeSessionsOptions<Mode extends ReceiveMode = ReceiveMode> extends ProcessorOptions {
  /** Default: `"peekLock"`. */
  readonly receiveMode?: Mode | undefined;
  /** How many sessions are served at once. Default: 8. */
  readonly maxConcurrentSessions?: number;
  /** How many messages of one session may be with the handler at once; more than 1 gives up their order. Default: 1. */
  readonly maxConcurrentCallsPerSession?: number;
  /** How long a session without messages is kept, in milliseconds. It gives way at once when another session waits for its place. Default: 60 000. */
  readonly sessionIdleTimeoutInMs?: number;
  /** How long a session's lock is renewed, in milliseconds; then the session is let go between two messages. Default: 300 000. */
  readonly maxAutoLockRenewalDurationInMs?: number;
  /**
   * What happens to an undeserializable message: it is dead-lettered and the session goes on, or the session is blocked: it keeps
   * its order, the message stays, and other sessions go on. Default: `"deadLetter"`.
   */
  readonly undeserializableAction?: UndeserializableAction | undefined;
  /** How long a blocked session is kept locked before it is let go, to be accepted and tried again, in milliseconds. Default: 60 000. */
  readonly blockedSessionRetryInMs?: number;
  /** How many blocked sessions are kept beside those that are served; more take their places. Default: 100. */
  readonly maxBlockedSessions?: number;
}

/** The defaults of {@link SubscribeSessionsOptions}. */
const defaultSubscribeSessionsOptions = Object.freeze({
  receiveMode: "peekLock",
  maxConcurrentSessions: 8,
  maxConcurrentCallsPerSession: 1,
  prefetchCount: 0,
  autoCompleteMessages: true,
  sessionIdleTimeoutInMs: 60_000,
  maxAutoLockRenewalDurationInMs: 300_000,
  undeserializableAction: defaultUndeserializableAction,
  blockedSessionRetryInMs: 60_000,
  maxBlockedSessions: 100,
  closeTimeoutInMs: defaultSubscribeOptions.closeTimeoutInMs,
} as const);

const optionNames: OptionNames<SubscribeSessionsOptions> = {
  receiveMode: true,
  maxConcurrentSessions: true,
  maxConcurrentCallsPerSession: true,
  prefetchCount: true,
  autoCompleteMessages: true,
  sessionIdleTimeoutInMs: true,
  maxAutoLockRenewalDurationInMs: true,
  undeserializableAction: true,
  blockedSessionRetryInMs: true,
  maxBlockedSessions: true,
  closeTimeoutInMs: true,
  abortSignal: true,
};

/** {@link SubscribeSessionsOptions} with every default filled in. */
export type ResolvedSubscribeSessionsOptions = {
  readonly [Name in keyof Omit<SubscribeSessionsOptions, "abortSignal">]-?: Exclude<
    SubscribeSessionsOptions[Name],
    undefined
  >;
};

/** Checks the options and fills in the defaults. Throws `TypeError`. */
export function resolveSubscribeSessionsOptions(
  options: SubscribeSessionsOptions,
): ResolvedSubscribeSessionsOptions {
  requireKnownOptions("subscribeSessions", options, optionNames);
  const defaults = defaultSubscribeSessionsOptions;
  const count = (name: CountName, least: 0 | 1) =>
    requireInteger(name, options[name] ?? defaults[name], least);
  const duration = (name: DurationName) => durationMs(name, options[name], defaults[name]);
  return Object.freeze({
    receiveMode: options.receiveMode ?? defaults.receiveMode,
    maxConcurrentSessions: count("maxConcurrentSessions", 1),
    maxConcurrentCallsPerSession: count("maxConcurrentCallsPerSession", 1),
    prefetchCount: count("prefetchCount", 0),
    maxBlockedSessions: count("maxBlockedSessions", 0),
    autoCompleteMessages: options.autoCompleteMessages ?? defaults.autoCompleteMessages,
    sessionIdleTimeoutInMs: duration("sessionIdleTimeoutInMs"),
    maxAutoLockRenewalDurationInMs: duration("maxAutoLockRenewalDurationInMs"),
    blockedSessionRetryInMs: duration("blockedSessionRetryInMs"),
    closeTimeoutInMs: duration("closeTimeoutInMs"),
    undeserializableAction: requireUndeserializableAction(options.undeserializableAction),
  });
}

type CountName =
  | "maxConcurrentSessions"
  | "maxConcurrentCallsPerSession"
  | "prefetchCount"
  | "maxBlockedSessions";

type DurationName =
  | "sessionIdleTimeoutInMs"
  | "maxAutoLockRenewalDurationInMs"
  | "blockedSessionRetryInMs"
  | "closeTimeoutInMs";
