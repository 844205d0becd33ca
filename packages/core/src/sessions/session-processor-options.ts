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

/** The second argument of a handler for messages of sessions. */
export interface SessionMessageContext<Undecoded extends UndecodedMessage = never> extends MessageContext {
  /** The receiver of the session, for its state, its deferred messages and its lock. Do not close it; call `releaseSession` instead. */
  readonly session: SessionReceiver<Undecoded>;
  /** Releases the session when its running handlers have finished, for example because its work is complete. */
  releaseSession(): void;
}

/** The functions that a session processor calls. */
export interface SessionMessageHandlers<Body = unknown, Undecoded extends UndecodedMessage = never>
  extends MessageHandlers<Body, Undecoded, SessionMessageContext<Undecoded>> {
  /** Called after a session was accepted, before its first message. If it throws, the session is released. */
  sessionInitializing?(session: SessionReceiver<Undecoded>): Promise<void> | void;
  /** Called after a session's last message, while the session is still locked unless its lock was lost. */
  sessionClosing?(session: SessionReceiver<Undecoded>): Promise<void> | void;
}

/** The functions that a session processor by message type calls. */
export interface TypedSessionMessageHandlers<Types extends MessageType>
  extends TypedMessageHandlers<Types, SessionMessageContext<UndecodedMessage>>,
    Pick<SessionMessageHandlers<unknown, UndecodedMessage>, "sessionInitializing" | "sessionClosing"> {}

/** Options of a session processor. */
export interface SubscribeSessionsOptions<Mode extends ReceiveMode = ReceiveMode> extends ProcessorOptions {
  /** Default: `"peekLock"`. */
  readonly receiveMode?: Mode | undefined;
  /** How many sessions are processed concurrently. Default: 8. */
  readonly maxConcurrentSessions?: number;
  /** How many messages of one session are handled concurrently; more than 1 does not keep their order. Default: 1. */
  readonly maxConcurrentCallsPerSession?: number;
  /** How long a session without messages is kept, in milliseconds; it is released at once when another session waits. Default: 60 000. */
  readonly sessionIdleTimeoutInMs?: number;
  /** How long a session's lock is renewed, in milliseconds; then the session is released between two messages. Default: 300 000. */
  readonly maxAutoLockRenewalDurationInMs?: number;
  /**
   * What happens to an undeserializable message: `"deadLetter"` dead-letters it and the session continues; `"block"` stops the session at
   * it, so that its order is kept, while other sessions continue. Default: `"deadLetter"`.
   */
  readonly undeserializableAction?: UndeserializableAction | undefined;
  /** How long a blocked session is kept locked before it is released, to be accepted and tried again, in milliseconds. Default: 60 000. */
  readonly blockedSessionRetryInMs?: number;
  /** How many blocked sessions are kept locked in addition to `maxConcurrentSessions`; further ones count towards that. Default: 100. */
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
  const count = (name: CountName, min: 0 | 1) => requireInteger(name, options[name] ?? defaults[name], min);
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
