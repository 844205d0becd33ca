import type { TransportReceivingLink } from "../contracts/transport.js";
import type { CircuitBreakerEvent } from "./circuit-breaker-event.js";

/** The result of `client.health()`, for readiness probes. It is collected without contacting the broker. */
export interface ClientHealth {
  /**
   * `impaired` while a receiving link is not open or a circuit is open; `closed` once the client is closed; otherwise `ready`.
   */
  readonly status: "ready" | "impaired" | "closed";
  /** When any receiver last got a message; undefined before the first. */
  readonly lastDeliveryAt: Date | undefined;
  /** The links on which its receivers, processors and sessions are receiving now. */
  readonly links: readonly LinkHealth[];
  /** The circuits that are open or half open. */
  readonly openCircuits: readonly CircuitBreakerEvent[];
  /** The time window of the counts below, in milliseconds: five minutes. */
  readonly windowInMs: number;
  /** Messages and sessions whose lock was lost before they were settled or released. */
  readonly locksLost: number;
  /** Messages that the client dead-lettered. */
  readonly deadLettered: number;
  /** Links that were reopened because they had stalled. */
  readonly linksStalled: number;
}

/** One link of a client. */
export interface LinkHealth extends TransportReceivingLink {
  /** The queue, subscription or dead-letter queue. */
  readonly entityPath: string;
  /** The session that it receives from, if any. */
  readonly sessionId: string | undefined;
}
