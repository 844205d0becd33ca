import { RecentCount, type Scheduler } from "@waybill/foundation";
import type { TransportReceiver, TransportSessionReceiver } from "../contracts/transport.js";
import type { CircuitBreakerEvent } from "./circuit-breaker-event.js";
import type { ClientHealth, LinkHealth } from "./client-health.js";

/** The time window of the counts, in milliseconds. */
const windowInMs = 300_000;

/** Collects what `client.health()` reports. */
export class HealthMonitor {
  readonly #scheduler: Scheduler;
  readonly #receivers = new Set<TransportReceiver>();
  readonly #circuits = new Map<string, CircuitBreakerEvent>();
  readonly #lostSessions = new WeakSet<TransportReceiver>();
  readonly #locksLost = new RecentCount(windowInMs);
  readonly #deadLettered = new RecentCount(windowInMs);
  readonly #linksStalled = new RecentCount(windowInMs);
  #lastDeliveryMs: number | undefined;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  opened(receiver: TransportReceiver): void {
    this.#receivers.add(receiver);
  }

  /** Once the last receiver of an entity is closed, its circuits are not reported any more. */
  closed(receiver: TransportReceiver): void {
    this.#receivers.delete(receiver);
    const { entityPath } = receiver;
    for (const other of this.#receivers) if (other.entityPath === entityPath) return;
    for (const [key, circuit] of this.#circuits) {
      if (circuit.entityPath === entityPath) this.#circuits.delete(key);
    }
  }

  delivered(): void {
    this.#lastDeliveryMs = this.#scheduler.now();
  }

  lockLost(): void {
    this.#locksLost.add(this.#scheduler.now());
  }

  /** Counts a lost session once, however many messages and calls report it. */
  sessionLost(receiver: TransportReceiver): void {
    if (this.#lostSessions.has(receiver)) return;
    this.#lostSessions.add(receiver);
    this.lockLost();
  }

  deadLettered(): void {
    this.#deadLettered.add(this.#scheduler.now());
  }

  circuitChanged(event: CircuitBreakerEvent): void {
    const key = JSON.stringify([event.entityPath, event.messageType, event.format]);
    if (event.state === "closed") this.#circuits.delete(key);
    else this.#circuits.set(key, event);
  }

  linkStalled(): void {
    this.#linksStalled.add(this.#scheduler.now());
  }

  health(isClosed: boolean): ClientHealth {
    const nowMs = this.#scheduler.now();
    const links = Array.from(this.#receivers, linksOf).flat();
    const openCircuits = Array.from(this.#circuits.values());
    const isImpaired = openCircuits.length > 0 || links.some(({ isOpen }) => isOpen === false);
    return {
      status: isClosed ? "closed" : isImpaired ? "impaired" : "ready",
      lastDeliveryAt: this.#lastDeliveryMs === undefined ? undefined : new Date(this.#lastDeliveryMs),
      links,
      openCircuits,
      windowInMs,
      locksLost: this.#locksLost.total(nowMs),
      deadLettered: this.#deadLettered.total(nowMs),
      linksStalled: this.#linksStalled.total(nowMs),
    };
  }
}

function linksOf(receiver: TransportReceiver | TransportSessionReceiver): LinkHealth[] {
  const { entityPath } = receiver;
  const sessionId = "sessionId" in receiver ? receiver.sessionId : undefined;
  return (receiver.links?.() ?? []).map((link) => ({ entityPath, sessionId, ...link }));
}
