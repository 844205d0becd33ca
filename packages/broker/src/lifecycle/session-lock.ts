import { sessionLockLost } from "../broker-error.js";
import type { Engine } from "../engine.js";
import type { ReceivingEntity } from "../entities/entity-registry.js";
import { arrivalOf } from "../entities/sequence-number.js";
import type { Session, SessionHolder } from "../entities/session.js";
import { failDelivery, releaseLock } from "./end-lock.js";

/** Gives a session's lock to `holder`. */
export function lockSession(engine: Engine, session: Session, holder: SessionHolder, nowMs: number): void {
  session.holder = holder;
  renewSession(engine, session, nowMs);
  engine.emitEntity("session-accepted", session.store.path, nowMs, session.id);
}

/** Lets a session's lock, and with it those of its messages, start anew. */
export function renewSession(engine: Engine, session: Session, nowMs: number): void {
  session.lockedUntilMs = nowMs + (session.store.owner as ReceivingEntity).options.lockDurationMs;
  engine.timers.arm(session, session.lockedUntilMs);
}

/** Ends a session's lock because its holder is done: no delivery counts as failed. */
export function releaseSession(engine: Engine, session: Session, nowMs: number): void {
  endLock(engine, session, nowMs);
  for (const message of heldInOrder(session)) releaseLock(engine, message, nowMs);
  reopen(engine, session);
}

/** Ends a session's lock whose time is over: every message held under it counts a failed delivery. */
export function expireSession(engine: Engine, session: Session, nowMs: number): void {
  const { holder } = session;
  endLock(engine, session, nowMs);
  for (const message of heldInOrder(session)) {
    engine.emit("lock-expired", message, nowMs);
    failDelivery(engine, message, nowMs);
  }
  reopen(engine, session);
  holder?.onSessionLost(sessionLockLost(session.store.path, session.id));
}

/** Gives an unlocked session that has messages to whoever waits for one, or keeps it for the next who comes. */
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

function endLock(engine: Engine, session: Session, nowMs: number): void {
  session.holder = undefined;
  engine.timers.disarm(session);
  engine.emitEntity("session-released", session.store.path, nowMs, session.id);
}

function reopen(engine: Engine, session: Session): void {
  offerSession(engine, session);
  session.store.sessions?.closeIfEmpty(session);
}

function heldInOrder(session: Session) {
  return [...session.held].sort((a, b) => arrivalOf(a) - arrivalOf(b));
}
