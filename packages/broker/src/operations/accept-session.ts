import type { Engine } from "../engine/engine.js";
import type { MessageStore } from "../entities/message-store.js";
import type { SessionHolder, SessionLock } from "../entities/session.js";
import type { SessionTable } from "../entities/session-table.js";
import { refusal } from "../errors/broker-error.js";
import { lockSession } from "../lifecycle/session-lock.js";

const ID_LIMIT = 128;

/** The sessions of a store; throws `not-allowed` for an entity without sessions. */
export function sessionsOf(store: MessageStore): SessionTable {
  if (store.sessions !== undefined) return store.sessions;
  const text = `'${store.path}' has no sessions: use a receiver without a session.`;
  throw refusal(store.path, "not-allowed", text);
}

/** Locks the session with this id, with or without messages. Throws `session-cannot-be-locked` when another receiver holds it. */
export function acceptSession(
  engine: Engine,
  store: MessageStore,
  sessionId: string,
  holder: SessionHolder,
  nowMs: number,
): SessionLock {
  const sessions = sessionsOf(store);
  if (sessionId.length > ID_LIMIT) {
    const text = `A session id of '${store.path}' has at most ${ID_LIMIT} characters.`;
    throw refusal(store.path, "argument-error", text);
  }
  const session = sessions.open(sessionId);
  if (session.isLocked) {
    const text = `Session '${sessionId}' of '${store.path}' is locked by another receiver.`;
    throw refusal(store.path, "session-cannot-be-locked", text);
  }
  return lockSession(engine, session, holder, nowMs);
}
