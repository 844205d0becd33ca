import type { Engine } from "../engine/engine.js";
import type { Entity } from "../entities/entity-registry.js";
import { forgetDuplicates } from "./delete-entity.js";
import { emptyStore, storesOf } from "./purge.js";

/**
 * Empties every entity: messages in all states, sessions with state and locks, duplicate detection history. Entities, rules and sequence
 * numbers stay, and receivers keep waiting.
 */
export function reset(engine: Engine, nowMs: number): void {
  for (const entity of engine.entities.all()) emptyEntity(engine, entity, nowMs);
  engine.faults.clear();
}

/** Like `reset`, for one entity; a topic includes its subscriptions. */
export function resetEntity(engine: Engine, path: string, nowMs: number): void {
  const entity = engine.entities.get(path);
  emptyEntity(engine, entity, nowMs);
  if (entity.kind !== "topic") return;
  for (const other of engine.entities.all())
    if (other.kind === "subscription" && other.topic === entity) emptyEntity(engine, other, nowMs);
}

function emptyEntity(engine: Engine, entity: Entity, nowMs: number): void {
  for (const store of storesOf(entity)) emptyStore(engine, store, nowMs);
  if (entity.kind !== "subscription") forgetDuplicates(engine, entity);
}
