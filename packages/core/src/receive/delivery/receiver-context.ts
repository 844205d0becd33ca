import type { Scheduler } from "@waybill/foundation";
import type { TransportReceiver, TransportSender } from "../../contracts/transport.js";
import type { HealthMonitor } from "../../diagnostics/health-monitor.js";
import type { Observer } from "../../diagnostics/observer.js";
import type { UndeserializableEvent } from "../../message/undeserializable-event.js";
import type { Pipeline } from "../../pipeline/pipeline.js";
import type { CircuitBreaker } from "../circuit-breaker/circuit-breaker.js";
import type { LookAhead } from "../circuit-breaker/look-ahead.js";
import type { LockRenewal } from "./lock-renewal.js";
import type { OtherReaders } from "./other-readers.js";
import type { SessionLock } from "./session-lock.js";
import type { UnavailableBackoff } from "./unavailable-backoff.js";

/** What one receiver works with. `client/receiver-context-factory.ts` makes it, and all folders of `receive` use this one object. */
export interface ReceiverContext {
  readonly receiver: TransportReceiver;
  readonly entityPath: string;
  readonly scheduler: Scheduler;
  readonly pipeline: Pipeline;
  /** The locks of its messages. */
  readonly renewal: LockRenewal;
  /** How long locks are renewed, in milliseconds, unless a subscription says otherwise. */
  readonly renewForMs: number;
  /** The lock of its session; undefined without one. */
  readonly session: SessionLock | undefined;
  /** Whether it receives from a dead-letter queue: undeserializable messages are handed over there. */
  readonly isSubQueue: boolean;
  /** Whether its session stops at an undeserializable message. */
  readonly isBlocking: boolean;
  /** The circuit breaker of the entity, shared by the client's receivers; undefined if it is switched off or nothing is dead-lettered. */
  readonly breaker: CircuitBreaker | undefined;
  /** Looks at the waiting messages; undefined for dead-letter queues. */
  readonly lookAhead: LookAhead | undefined;
  /** The other readers of the entity, which may know formats that this client does not; undefined if no directory is configured. */
  readonly otherReaders: OtherReaders | undefined;
  readonly backoff: Required<UnavailableBackoff>;
  /** Whether the transport supports deferral. */
  readonly canDefer: boolean;
  readonly consumerVersion: string | undefined;
  /** The sender to the quarantine queue, for messages that can no longer be dead-lettered; undefined if none is configured. */
  readonly quarantine: () => TransportSender | undefined;
  /** Sends to the entity itself; undefined if that is not possible or the transport cannot schedule. */
  readonly retrySender: (() => TransportSender) | undefined;
  /** Reports an unread message to the client. */
  readonly onUndeserializable: (event: UndeserializableEvent) => void;
  /** Reports every step; undefined without diagnostics. */
  readonly observer: Observer | undefined;
  /** Counts deliveries, dead letters and lost locks. */
  readonly health: HealthMonitor;
}

/** Whether messages must be handled in order: in a session whose messages can be given back. */
export function isOrdered({ session, receiver }: ReceiverContext): boolean {
  return session !== undefined && receiver.receiveMode === "peekLock";
}
