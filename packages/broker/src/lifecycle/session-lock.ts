import type { Engine } from "../engine/engine.js";
import type { ReceivingEntity } from "../entities/entity-registry.js";
import { type Session, type SessionHolder, SessionLock } from "../entities/session.js";
import { sessionLockLost } from "../errors/broker-error.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { failDelivery, releaseLock } from "./end-lock.js";

/** Gives a session's lock to `holder`. */
export function lockSession(
  engine: Engine,
  session: Session,
  holder: SessionHolder,
  nowMs: number,
): SessionLock {
  const lock = new SessionLock(session, holder);
  session.lock = lock;
  renewSession(engine, lock, nowMs);
  engine.emitEntity("session-accepted", session.store.path, nowMs, session.id);
  return lock;
}

/** Renews a session's lock, and with it those of its messages. */
export function renewSession(engine: Engine, lock: SessionLock, nowMs: number): void {
  const { lockDurationMs } = (lock.session.store.owner as ReceivingEntity).options;
  engine.timers.arm(lock, nowMs + lockDurationMs);
}

/** Releases a session's lock on behalf of its holder, without counting failed deliveries. */
export function releaseSession(engine: Engine, lock: SessionLock, nowMs: number): void {
  endLock(engine, lock, nowMs);
  for (const message of takeHeld(lock)) releaseLock(engine, message, nowMs);
  reopen(engine, lock.session);
}

/**
 * Handles an expired session lock: every message held under it counts a failed delivery. A holder in receive-and-delete mode that is still
 * receiving keeps the lock, because it has no other way to renew it.
 */
export function expireSession(engine: Engine, lock: SessionLock, nowMs: number): void {
  const { session, holder } = lock;
  if (holder.keepsSession()) {
    renewSession(engine, lock, nowMs);
    return;
  }
  // Before its messages, so that they go to the next holder and not to the one that has just lost them.
  endLock(engine, lock, nowMs);
  for (const message of takeHeld(lock)) {
    engine.emit("lock-expired", message, nowMs);
    failDelivery(engine, message, nowMs);
  }
  reopen(engine, session);
  holder.onSessionLost(sessionLockLost(session.store.path, session.id));
}

/** Gives an unlocked session with messages to a waiting caller, or offers it to the next one. */
export function offerSession(engine: Engine, session: Session): void {
  const { sessions } = session.store;
  if (session.isLocked || sessions === undefined) return;
  sessions.offer(session);
  serveAcceptors(engine, session);
}

function serveAcceptors(engine: Engine, { store: { sessions } }: Session): void {
  if (sessions === undefined) return;
  for (const acceptor of sessions.acceptors) {
    const next = sessions.takeNext();
    if (next === undefined) return;
    sessions.acceptors.delete(acceptor);
    acceptor.accept(next, engine.timers.nowMs);
  }
}

function endLock(engine: Engine, lock: SessionLock, nowMs: number): void {
  const { session } = lock;
  session.lock = undefined;
  engine.timers.disarm(lock);
  engine.emitEntity("session-released", session.store.path, nowMs, session.id);
}

function reopen(engine: Engine, session: Session): void {
  offerSession(engine, session);
  session.store.sessions?.closeIfEmpty(session);
}

/** Empties a lock's set of held messages; returns them in order of arrival. */
function takeHeld({ held }: SessionLock): StoredMessage[] {
  return [...held].sort((a, b) => a.arrival - b.arrival);
}
