import type { Engine } from "../engine.js";
import type { Entity } from "../entities/entity-registry.js";
import type { Subscription } from "../entities/subscription.js";
import type { EntityRecord } from "../storage/storage.js";

/** Writes an entity's description, with the rules of a subscription, to the storage. */
export function saveEntity(engine: Engine, entity: Entity): void {
  if (!engine.storage.isVolatile) engine.storage.putEntity(entity.id, toRecord(entity));
}

/** Writes a subscription whose rules were changed, which counts as use. */
export function saveRules(engine: Engine, subscription: Subscription, nowMs: number): void {
  subscription.updatedAtMs = nowMs;
  subscription.accessedAtMs = nowMs;
  saveEntity(engine, subscription);
}

function toRecord(entity: Entity): EntityRecord {
  const { kind, options, createdAtMs, updatedAtMs } = entity;
  const record = { kind, options, createdAtMs, updatedAtMs };
  if (entity.kind !== "subscription") return { ...record, path: entity.path };
  const rules = Array.from(entity.rules.values(), ({ definition, createdAtMs }) => ({
    definition,
    createdAtMs,
  }));
  return { ...record, topic: entity.topic.path, name: entity.name, rules };
}
