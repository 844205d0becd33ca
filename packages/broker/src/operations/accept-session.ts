import type { MessageStore } from "../entities/message-store.js";
import type { Session } from "../entities/session.js";
import type { SessionTable } from "../entities/session-table.js";
import { refusal } from "../errors/broker-error.js";

const ID_LIMIT = 128;

/** The sessions of a store; throws `not-allowed` for an entity without sessions. */
export function sessionsOf(store: MessageStore): SessionTable {
  if (store.sessions !== undefined) return store.sessions;
  const text = `'${store.path}' has no sessions: use a receiver without a session.`;
  throw refusal(store.path, "not-allowed", text);
}

/** The session with this id, with or without messages, to be locked at once. Throws `session-cannot-be-locked` when a receiver holds it. */
export function acceptSession(store: MessageStore, sessionId: string): Session {
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
  return session;
}
