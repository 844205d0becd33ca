import {
  type Resolved,
  requireDuration,
  requireInteger,
  requireOneOf,
  withDefaults,
} from "@waybill/foundation";
import type { ReceiveMode } from "../contracts/transport.js";
import type { UndecodedMessage } from "../message/message.js";
import type { MessageType } from "../message-types/message-type.js";
import type { MessageContext } from "../receive/processing/in-flight-message.js";
import {
  defaultSubscribeOptions,
  type MessageHandlers,
  type ProcessorOptions,
} from "../receive/processing/processor-options.js";
import type { TypedMessageHandlers } from "../receive/processing/typed-handlers.js";
import {
  defaultReceiverOptions,
  type UndeserializableAction,
  undeserializableActions,
} from "../receive/receiver/receiver-options.js";
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
  ...defaultReceiverOptions,
  maxConcurrentSessions: 8,
  maxConcurrentCallsPerSession: 1,
  prefetchCount: defaultSubscribeOptions.prefetchCount,
  autoCompleteMessages: defaultSubscribeOptions.autoCompleteMessages,
  sessionIdleTimeoutInMs: 60_000,
  undeserializableAction: "deadLetter",
  blockedSessionRetryInMs: 60_000,
  maxBlockedSessions: 100,
  closeTimeoutInMs: defaultSubscribeOptions.closeTimeoutInMs,
  abortSignal: undefined,
} as const);

/** {@link SubscribeSessionsOptions} with every default filled in. */
export type ResolvedSubscribeSessionsOptions = Resolved<Omit<SubscribeSessionsOptions, "abortSignal">>;

/** Checks the options and fills in the defaults. Throws `TypeError`. */
export function resolveSubscribeSessionsOptions(
  options: SubscribeSessionsOptions,
): ResolvedSubscribeSessionsOptions {
  const resolved = withDefaults("subscribeSessions", options, defaultSubscribeSessionsOptions);
  for (const name of ["maxConcurrentSessions", "maxConcurrentCallsPerSession"] as const) {
    requireInteger(name, resolved[name], 1);
  }
  for (const name of ["prefetchCount", "maxBlockedSessions"] as const) {
    requireInteger(name, resolved[name], 0);
  }
  for (const name of durations) requireDuration(name, resolved[name], 0, Number.POSITIVE_INFINITY);
  requireOneOf("undeserializableAction", resolved.undeserializableAction, undeserializableActions);
  return Object.freeze(resolved);
}

const durations = [
  "sessionIdleTimeoutInMs",
  "maxAutoLockRenewalDurationInMs",
  "blockedSessionRetryInMs",
  "closeTimeoutInMs",
] as const;
