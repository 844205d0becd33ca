import type { MessageStore } from "../entities/message-store.js";
import type { Session } from "../entities/session.js";
import type { SessionTable } from "../entities/session-table.js";
import { refusal } from "../errors/broker-error.js";

const idLimit = 128;

/** The sessions of a store; throws `not-allowed` for an entity without sessions. */
export function sessionsOf(store: MessageStore): SessionTable {
  if (store.sessions !== undefined) return store.sessions;
  const text = `A sessionful message receiver cannot be created on an entity that does not require sessions. Ensure RequiresSession is set to true when creating a Queue or Subscription to enable sessionful behavior: '${store.path}'.`;
  throw refusal(store.path, "not-allowed", text);
}

/** The session with this id, with or without messages, to be locked at once. Throws `session-cannot-be-locked` when a receiver holds it. */
export function acceptSession(store: MessageStore, sessionId: string): Session {
  const sessions = sessionsOf(store);
  if (sessionId.length > idLimit) {
    const text = `A session id of '${store.path}' has at most ${idLimit} characters.`;
    throw refusal(store.path, "argument-error", text);
  }
  const session = sessions.open(sessionId);
  if (session.isLocked) {
    const text = `The requested session '${sessionId}' cannot be accepted. It may be locked by another receiver. Its entity is '${store.path}'.`;
    throw refusal(store.path, "session-cannot-be-locked", text);
  }
  return session;
}
