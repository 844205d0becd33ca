import type { CircuitBreaker } from "../circuit-breaker/circuit-breaker.js";
import type { DeliveredMessage } from "../contracts/transport.js";
import type { Intake } from "../delivery/intake.js";
import type { UnavailableBackoff } from "../holding/unavailable-backoff.js";
import type { UndeserializableEvent } from "../message/undeserializable-event.js";
import type { RetrySettings } from "./handling.js";
import type { InFlightMessage, MessageContext } from "./in-flight-message.js";
import type { Processor } from "./processor.js";

/** What a processor works with beside its handlers. */
export interface ProcessorSettings {
  readonly intake: Intake;
  readonly backoff: Required<UnavailableBackoff>;
  /** Whether messages can be deferred, to be received by their numbers. */
  readonly canDefer: boolean;
  readonly maxConcurrentCalls: number;
  readonly prefetchCount: number;
  readonly isAutoCompleting: boolean;
  readonly renewForMs: number;
  readonly closeTimeoutMs: number;
  readonly retry: RetrySettings | undefined;
  readonly breaker: CircuitBreaker | undefined;
  /** Whether it stops at an undeserializable message, leaving it locked. */
  readonly isBlocking: boolean;
  /** The session that it serves. */
  readonly session: ProcessedSession | undefined;
  /** The client's hook. */
  readonly onUndeserializable: (event: UndeserializableEvent) => void;
  readonly onClosed: (processor: Processor) => void;
}

/** A session on which a processor runs, and whoever looks after it. */
export interface ProcessedSession {
  readonly sessionId: string;
  /** Whether somebody looks after it: sets it aside when it stops, and closes it when its processor is closed. */
  readonly keeper: SessionKeeper | undefined;
  /** Renews its lock for as long again: a message waits for something out of reach. */
  readonly keepLock?: (() => void) | undefined;
}

/** Is notified of what happens to a session. */
export interface SessionKeeper {
  toContext(inFlight: InFlightMessage): MessageContext;
  /** A message came to a session that had none, or the last one is done. */
  onActivity(isBusy: boolean): void;
  /** A message was read. */
  onDecoded(): void;
  /** Whether the session may stop at a message whose circuit is open, instead of going on without it. */
  mayBlock(delivered: DeliveredMessage): Promise<boolean>;
  /** The session stopped at a message that cannot be read, or not now. */
  onBlocked(cause: BlockCause): void;
  onLost(): void;
}

/** Why a session stops: its message cannot be read, its circuit is open, or something it needs is out of reach. */
export type BlockCause = "undeserializable" | "circuitOpen" | "unavailable";
