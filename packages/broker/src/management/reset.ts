import type { Engine } from "../engine/engine.js";
import type { Entity } from "../entities/entity-registry.js";
import { forgetDuplicates } from "./delete-entity.js";
import { emptyStore, storesOf } from "./purge.js";

/**
 * Empties every entity, or one entity, a topic with its subscriptions: messages in all states, sessions with state
 * and locks, duplicate detection history. Entities, rules and sequence numbers stay, and receivers keep waiting.
 */
export function reset(engine: Engine, path: string | undefined, nowMs: number): void {
  if (path === undefined) {
    for (const entity of engine.entities.all()) emptyEntity(engine, entity, nowMs);
    return;
  }
  const entity = engine.entities.get(path);
  emptyEntity(engine, entity, nowMs);
  if (entity.kind !== "topic") return;
  for (const subscription of entity.subscriptions.values()) emptyEntity(engine, subscription, nowMs);
}

function emptyEntity(engine: Engine, entity: Entity, nowMs: number): void {
  for (const store of storesOf(entity)) emptyStore(engine, store, nowMs);
  if (entity.kind !== "subscription") forgetDuplicates(engine, entity);
}
