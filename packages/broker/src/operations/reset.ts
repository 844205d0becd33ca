import type { Engine } from "../engine.js";
import { forgetDuplicates } from "./delete-entity.js";
import { emptyStore, storesOf } from "./purge.js";

/**
 * Empties every entity: messages in all states, sessions with their state and locks, duplicate detection history. Entities, their
 * rules and sequence counters stay, and receivers go on waiting.
 */
export function reset(engine: Engine, nowMs: number): void {
  for (const entity of engine.entities.all()) {
    for (const store of storesOf(entity)) emptyStore(engine, store, nowMs);
    if (entity.kind !== "subscription") forgetDuplicates(engine, entity);
  }
  engine.faults.clear();
}
