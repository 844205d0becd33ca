import type { Engine } from "../engine/engine.js";
import type { Entity } from "../entities/entity-registry.js";
import { furtherCounters } from "../entities/sequence-number.js";
import type { Subscription } from "../entities/subscription.js";
import { entityNotFound } from "../errors/broker-error.js";
import { emptyStore, storesOf } from "./purge.js";

/** Deletes an entity with its messages, a topic with its subscriptions; waiting receivers are rejected with `entity-not-found`. */
export function removeEntity(engine: Engine, entity: Entity, nowMs: number): void {
  if (entity.kind === "topic") {
    for (const subscription of [...entity.subscriptions.values()]) removeEntity(engine, subscription, nowMs);
  }
  // Marked first: rejected callers may return at once and must not find the entity.
  entity.isDeleted = true;
  engine.entities.remove(entity);
  if (entity.kind === "subscription") {
    entity.topic.subscriptions.delete(entity.name.toLowerCase());
    entity.topic.forgetCost();
  }
  for (const store of storesOf(entity)) {
    store.refuseWaiters(entityNotFound(store.path));
    emptyStore(engine, store, nowMs);
  }
  if (entity.kind !== "subscription") forgetDuplicates(engine, entity);
  engine.timers.disarm(entity.idleTimer);
  if (!engine.storage.isVolatile) {
    if (entity.kind === "subscription") forgetRules(engine, entity);
    engine.storage.deleteEntity(entity.id);
    for (const counter of furtherCounters(entity)) engine.storage.deleteEntity(counter);
  }
  engine.emitEntity("entity-deleted", entity.path, nowMs);
}

/** Empties the duplicate detection history. */
export function forgetDuplicates(engine: Engine, entity: Exclude<Entity, { kind: "subscription" }>): void {
  if (!engine.storage.isVolatile) {
    for (const key of entity.history.keys()) engine.storage.deleteDuplicate(entity.id, key);
  }
  entity.history.clear();
}

function forgetRules({ storage }: Engine, { rules }: Subscription): void {
  for (const { recordId } of rules.values()) if (recordId !== undefined) storage.deleteEntity(recordId);
}
