import type { Engine } from "../engine/engine.js";
import type { Entity } from "../entities/entity-registry.js";
import type { MessageStore } from "../entities/message-store.js";
import { sessionLockLost } from "../errors/broker-error.js";
import { discardMessage, withdraw } from "../lifecycle/place-message.js";
import type { StoredMessage } from "../messages/stored-message.js";

/** Removes every message of a store in whatever state, locked ones too; returns how many. */
export function purge(engine: Engine, store: MessageStore, nowMs: number): number {
  const messages = Array.from(store.index.from(0));
  for (const message of messages) removeMessage(engine, message);
  if (messages.length > 0) engine.emitEntity("purged", store.path, nowMs, undefined, String(messages.length));
  return messages.length;
}

/** Purges a store and forgets its sessions with their state and locks. */
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

/** The stores of an entity. */
export function storesOf(entity: Entity): MessageStore[] {
  return entity.kind === "topic"
    ? [entity.main, entity.transferDeadLetter]
    : [entity.main, entity.deadLetter, entity.transferDeadLetter];
}

/** Removes a message wherever it stands. */
export function removeMessage(engine: Engine, message: StoredMessage): void {
  const { kind, owner } = message.store;
  // What a topic hands to its subscriptions was never ready for a receiver.
  const isHandedOn = owner.kind === "topic" && kind === "main";
  if (message.state === "active" && !message.isLocked && !isHandedOn) withdraw(message);
  discardMessage(engine, message);
}
