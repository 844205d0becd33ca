import type { ReceivingLink } from "../contracts/transport.js";
import type { CircuitBreakerEvent } from "./circuit-breaker-event.js";

/** How a client fares, for readiness probes: `client.health()`. Nothing in it is asked of the broker. */
export interface ClientHealth {
  /**
   * `impaired` while a link on which the client should receive is not open, or a circuit breaker holds messages back; `closed` once the
   * client is; otherwise `ready`.
   */
  readonly status: "ready" | "impaired" | "closed";
  /** When a message last came, on whichever receiver; undefined before the first. */
  readonly lastDeliveryAt: Date | undefined;
  /** The links on which its receivers, processors and sessions are receiving at present. */
  readonly links: readonly LinkHealth[];
  /** The circuits that are open or half open. */
  readonly openCircuits: readonly CircuitBreakerEvent[];
  /** How far the counts below look back, in milliseconds: five minutes. */
  readonly windowInMs: number;
  /** Messages and sessions whose lock was lost before they were settled or let go. */
  readonly locksLost: number;
  /** Messages that the client dead-lettered. */
  readonly deadLettered: number;
  /** Links that were made again because they stood still. */
  readonly linksStalled: number;
}

/** One link of a client. */
export interface LinkHealth extends ReceivingLink {
  /** The queue, subscription or dead-letter queue. */
  readonly entityPath: string;
  /** The session that it receives from, if any. */
  readonly sessionId: string | undefined;
}
