import type { Engine } from "../engine/engine.js";
import type { Entity } from "../entities/entity-registry.js";

/** Starts, restarts or stops an entity's idle timer after its creation or update. */
export function watchIdle(engine: Engine, entity: Entity): void {
  engine.timers.arm(entity.idleTimer, entity.accessedAtMs + entity.options.autoDeleteOnIdleMs);
}

/**
 * Whether an entity was unused for its idle time: no send, receive, peek or update, no waiting receivers and no scheduled messages. Using a
 * subscription also uses its topic. If the entity is in use, the timer is restarted. Source: "Message expiration", idleness.
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
