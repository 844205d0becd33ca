import type { Engine } from "../engine/engine.js";
import {
  type QueueOptions,
  resolveOptions,
  type SubscriptionOptions,
  type TopicOptions,
} from "../entities/entity-options.js";
import type { Entity, ReceivingEntity } from "../entities/entity-registry.js";
import { refusal } from "../errors/broker-error.js";
import { watchIdle } from "../lifecycle/auto-delete.js";
import { forwardMessage } from "../lifecycle/forward-message.js";
import { removeFromLane, takeOut } from "../lifecycle/place-message.js";
import { checkForwards } from "./check-forwards.js";
import { storesOf } from "./purge.js";
import { saveEntity } from "./save-entity.js";

/**
 * Changes the given properties of an entity. Throws `entity-not-found`, `argument-error` for a value out of range and `not-allowed` for a
 * property fixed at creation. A new lock duration or default time to live applies from the next lock or message on.
 */
export function updateEntity(
  engine: Engine,
  path: string,
  options: QueueOptions | TopicOptions | SubscriptionOptions,
  nowMs: number,
): void {
  const entity = engine.entities.get(path);
  change(engine, entity, options);
  entity.updatedAtMs = nowMs;
  entity.accessedAtMs = nowMs;
  saveEntity(engine, entity);
  watchIdle(engine, entity);
  engine.emitEntity("entity-updated", entity.path, nowMs);
  if (entity.kind === "topic") return;
  refuseWaiters(entity);
  if (entity.options.forwardTo !== undefined) forwardWaiting(engine, entity, nowMs);
}

function change(engine: Engine, entity: Entity, options: object): void {
  const { kind, path } = entity;
  const resolved = resolveOptions(kind, path, options, engine.tier, entity.options);
  entity.options = "forwardTo" in resolved ? checkForwards(engine, path, resolved) : resolved;
}

/** Rejects waiting receivers if the entity's status no longer allows receiving. */
function refuseWaiters(entity: ReceivingEntity): void {
  const { path, options } = entity;
  const { status, forwardTo } = options;
  if (status === "Disabled" || status === "ReceiveDisabled") {
    const error = refusal(path, "entity-disabled", `Cannot receive from '${path}': its status is ${status}.`);
    for (const store of storesOf(entity)) store.refuseWaiters(error);
  } else if (forwardTo !== undefined) {
    const text = `Cannot receive from '${path}': it forwards its messages to '${forwardTo}'.`;
    entity.main.refuseWaiters(refusal(path, "not-allowed", text));
  }
}

function forwardWaiting(engine: Engine, entity: ReceivingEntity, nowMs: number): void {
  const waiting = Array.from(entity.main.byArrival()).filter(
    (message) => message.state === "active" && !message.isLocked,
  );
  for (const message of waiting) {
    removeFromLane(message);
    takeOut(engine, message);
    forwardMessage(engine, message, nowMs);
  }
}
