import type { Engine } from "../engine/engine.js";
import type { Entity } from "../entities/entity-registry.js";
import type { MessageStore } from "../entities/message-store.js";
import { sessionLockLost } from "../errors/broker-error.js";
import { discardMessage, removeFromLane } from "../lifecycle/place-message.js";
import type { StoredMessage } from "../messages/stored-message.js";

/** Removes all messages of a store whatever their state, including locked ones; returns their number. */
export function purge(engine: Engine, store: MessageStore, nowMs: number): number {
  const messages = Array.from(store.index.from(0));
  for (const message of messages) removeMessage(engine, message);
  if (messages.length > 0) engine.emitEntity("purged", store.path, nowMs, undefined, String(messages.length));
  return messages.length;
}

/** Purges a store and deletes its sessions with their state and locks. */
export function emptyStore(engine: Engine, store: MessageStore, nowMs: number): void {
  purge(engine, store, nowMs);
  if (store.sessions === undefined) return;
  for (const session of [...store.sessions.all()]) {
    const { lock } = session;
    session.lock = undefined;
    if (lock !== undefined) engine.timers.disarm(lock);
    if (session.state !== undefined) {
      session.setState(undefined, nowMs);
      if (!engine.storage.isVolatile) engine.storage.deleteSession(store.id, session.id);
    }
    store.sessions.closeIfEmpty(session);
    lock?.holder.onSessionLost(sessionLockLost(store.path, session.id));
  }
}

export function storesOf(entity: Entity): MessageStore[] {
  return entity.kind === "topic"
    ? [entity.main, entity.transferDeadLetter]
    : [entity.main, entity.deadLetter, entity.transferDeadLetter];
}

/** Removes a message, whatever its state. */
export function removeMessage(engine: Engine, message: StoredMessage): void {
  const { kind, owner } = message.store;
  // Messages being copied to a topic's subscriptions are not in a lane.
  const isHandedOn = owner.kind === "topic" && kind === "main";
  if (message.state === "active" && !message.isLocked && !isHandedOn) removeFromLane(message);
  discardMessage(engine, message);
}
