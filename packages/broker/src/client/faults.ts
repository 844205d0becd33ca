import { required } from "@waybill/foundation";
import type { Engine } from "../engine/engine.js";
import type { EntityFaults } from "../engine/injected-faults.js";
import { entityKey, splitEntityPath } from "../entities/entity-path.js";
import { refusal } from "../errors/broker-error.js";
import { failDelivery } from "../lifecycle/end-lock.js";
import { expireSession } from "../lifecycle/session-lock.js";
import { findLock, type LockedMessage } from "../operations/find-lock.js";

/** Fault injection, to test how an application handles faults. `clear` ends all of them. */
export class Faults {
  readonly #engine: Engine;

  /** Created by the broker, see `Broker.faults`. */
  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Expires the lock on a message at once; in a session, the session's lock. A `bigint` is the message's sequence number. Throws
   * `message-lock-lost` when it is not locked.
   */
  loseLock(path: string, message: LockedMessage | bigint): void {
    const nowMs = this.#engine.begin();
    const stored = findLock(this.#engine, this.#engine.entities.receiveSource(path), message);
    if (stored.session === undefined) failDelivery(this.#engine, stored, nowMs);
    else expireSession(this.#engine, required(stored.session.lock, "The lock of a session"), nowMs);
    void this.#engine.end(nowMs);
  }

  /** Refuses the next `count` operations on an entity with `server-busy`. */
  throttle(path: string, count = Number.POSITIVE_INFINITY): void {
    this.#of(path).throttled = count;
  }

  /** Delays every operation on an entity by `delayMs`, by the broker's clock; 0 ends the delay. */
  delay(path: string, delayMs: number): void {
    this.#of(path).delayMs = delayMs;
  }

  /** Delivers the next `count` completed messages of an entity once more, as after a lost settlement. */
  duplicateDeliveries(path: string, count = 1): void {
    this.#of(path).duplicates = count;
  }

  /** Ends all consumers and pending receive calls on an entity with `link-detached`. Locks stay. */
  dropLinks(path: string): void {
    const error = refusal(path, "link-detached", `The link to '${path}' was dropped.`);
    this.#engine.begin();
    this.#engine.entities.receiveSource(path).refuseWaiters(error);
  }

  /**
   * Stalls all consumers of an entity: they get neither messages nor errors until they are closed. Consumers opened later are not affected.
   * Returns how many were stalled.
   */
  stopDelivering(path: string): number {
    this.#engine.begin();
    return this.#engine.entities.receiveSource(path).stallWaiters();
  }

  /** Makes a queue or topic act as if its quota were used up: sends are refused with `quota-exceeded`. */
  fill(path: string): void {
    this.#engine.entities.sendTarget(path).isFilled = true;
  }

  /** Ends all faults of an entity; without a path, of all entities. */
  clear(path?: string): void {
    for (const entity of this.#engine.entities.all()) {
      if (path !== undefined && entityKey(entity.path) !== entityKey(path)) continue;
      this.#engine.faults.clear(entity.path);
      if (entity.kind !== "subscription") entity.isFilled = false;
    }
  }

  /** Throws `entity-not-found` for a path without an entity. */
  #of(path: string): EntityFaults {
    const { entity } = splitEntityPath(path);
    if (this.#engine.entities.find(entity) === undefined) this.#engine.entities.receiveSource(path);
    return this.#engine.faults.open(entity);
  }
}
