import type { Engine } from "../engine/engine.js";
import type { Entity } from "../entities/entity-registry.js";
import type { RuleDefinition } from "../rules/rule.js";
import type { EntityRecord } from "../storage/storage.js";

/** A rule in the storage. Each rule has its own record, so that the time to write one does not depend on their number. */
export type RuleRecord = {
  readonly kind: "rule";
  readonly subscriptionId: number;
  readonly definition: RuleDefinition;
  readonly createdAtMs: number;
};

/** Writes an entity's properties to the storage, with the first rule of a subscription. */
export function saveEntity(engine: Engine, entity: Entity): void {
  if (!engine.storage.isVolatile) engine.storage.putEntity(entity.id, toRecord(entity));
}

function toRecord(entity: Entity): EntityRecord {
  const { kind, options, createdAtMs, updatedAtMs } = entity;
  const record = { kind, options, createdAtMs, updatedAtMs };
  if (entity.kind !== "subscription") return { ...record, path: entity.path };
  const rules = entity.rules.own.map(({ definition, createdAtMs }) => ({ definition, createdAtMs }));
  return { ...record, topic: entity.topic.path, name: entity.name, rules };
}
