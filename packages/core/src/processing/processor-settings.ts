import type { CircuitBreaker } from "../circuit-breaker/circuit-breaker.js";
import type { DeliveredMessage } from "../contracts/transport.js";
import type { Intake } from "../delivery/intake.js";
import type { UnavailableBackoff } from "../holding/unavailable-backoff.js";
import type { UndeserializableEvent } from "../message/undeserializable-event.js";
import type { RetrySettings } from "./handling.js";
import type { InFlightMessage, MessageContext } from "./in-flight-message.js";
import type { Processor } from "./processor.js";

/** Settings and dependencies of a processor. */
export interface ProcessorSettings {
  readonly intake: Intake;
  readonly backoff: Required<UnavailableBackoff>;
  /** Whether the transport supports deferral. */
  readonly canDefer: boolean;
  readonly maxConcurrentCalls: number;
  readonly prefetchCount: number;
  readonly isAutoCompleting: boolean;
  readonly renewForMs: number;
  readonly closeTimeoutMs: number;
  readonly retry: RetrySettings | undefined;
  readonly breaker: CircuitBreaker | undefined;
  /** Whether it stops at an undeserializable message and leaves it locked. */
  readonly isBlocking: boolean;
  /** The session that it processes. */
  readonly session: ProcessedSession | undefined;
  /** Reports an undeserializable message to the client. */
  readonly onUndeserializable: (event: UndeserializableEvent) => void;
  readonly onClosed: (processor: Processor) => void;
}

/** The session that a processor processes. */
export interface ProcessedSession {
  readonly sessionId: string;
  /** Manages this session's lifetime: closes it with its processor, and keeps it locked while it is blocked; undefined if the caller does. */
  readonly keeper: SessionKeeper | undefined;
  /** Restarts the time for which its lock is renewed; called while a message waits for an unavailable dependency. */
  readonly keepLock?: (() => void) | undefined;
}

/** Manages the lifetime of a session, as its processor reports events. */
export interface SessionKeeper {
  toContext(inFlight: InFlightMessage): MessageContext;
  /** Called when the first message arrives, and when the last one is settled. */
  onActivity(isBusy: boolean): void;
  onDecoded(): void;
  /** Whether the session may stop at a message whose circuit is open; otherwise the message is dead-lettered. */
  tryBlock(delivered: DeliveredMessage): Promise<boolean>;
  /** Called when the session stopped at a message. */
  onBlocked(cause: BlockCause): void;
  onLost(): void;
}

/** Why a session stopped: its message is undeserializable, its circuit is open, or a dependency is unavailable. */
export type BlockCause = "undeserializable" | "circuitOpen" | "unavailable";
