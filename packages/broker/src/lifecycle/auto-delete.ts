import type { Engine } from "../engine/engine.js";
import type { Entity } from "../entities/entity-registry.js";

/** Starts, moves or ends the watch over an entity's idleness after its creation or update. */
export function watchIdle(engine: Engine, entity: Entity): void {
  engine.timers.arm(entity.idleTimer, entity.accessedAtMs + entity.options.autoDeleteOnIdleMs);
}

/**
 * Whether nobody has used an entity for its idle time: no send, receive, peek or update, nobody waits for messages and none are
 * scheduled. A topic is used with its subscriptions. If it is in use, the watch goes on. Source: "Message expiration", idleness.
 */
export function isIdle(engine: Engine, entity: Entity, nowMs: number): boolean {
  if (entity.main.scheduledCount > 0 || entity.main.hasWaiters) entity.accessedAtMs = nowMs;
  if (entity.kind === "topic") {
    for (const { main, accessedAtMs } of entity.subscriptions.values()) {
      entity.accessedAtMs = Math.max(entity.accessedAtMs, main.hasWaiters ? nowMs : accessedAtMs);
    }
  }
  if (entity.accessedAtMs + entity.options.autoDeleteOnIdleMs <= nowMs) return true;
  watchIdle(engine, entity);
  return false;
}
