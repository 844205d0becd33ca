import type { Engine } from "../engine/engine.js";
import type { Entity } from "../entities/entity-registry.js";
import { heapCosts, type MemoryUse } from "../memory/memory-mark.js";
import { storesOf } from "./purge.js";

/** Adds up a broker's memory usage, in time proportional to its entities, not its messages. */
export function measureMemory({ entities, storage }: Engine): MemoryUse {
  let heapBytes = 0;
  let bodyBytes = storage.memoryBytes ?? 0;
  for (const entity of entities.all()) {
    heapBytes += ofRulesAndHistory(entity);
    for (const store of storesOf(entity)) {
      heapBytes += store.headBytes + store.index.size * heapCosts.message;
      heapBytes += (store.sessions?.size ?? 0) * heapCosts.session;
      bodyBytes += store.stateBytes;
    }
  }
  return { heapBytes, bodyBytes };
}

function ofRulesAndHistory(entity: Entity): number {
  if (entity.kind === "subscription") {
    const { rules } = entity;
    return (rules.count("sql") + rules.count("correlation")) * heapCosts.rule + rules.bytes;
  }
  return entity.history.size * heapCosts.duplicate;
}
