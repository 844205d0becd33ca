import type { SessionReceiver } from "@waybill/broker";
import { BrokerError } from "@waybill/broker";

/** The sessions that one client holds, so that its management requests find them by entity and id. Those of others are none of its business. */
export class SessionHolders {
  readonly #held = new Map<string, SessionReceiver>();

  /** Notes a session that was accepted, until it is released or lost. */
  add(session: SessionReceiver): void {
    this.#held.set(keyOf(session.path, session.sessionId), session);
  }

  /** Forgets a session, unless another receiver holds it by now. */
  delete(session: SessionReceiver): void {
    const key = keyOf(session.path, session.sessionId);
    if (this.#held.get(key) === session) this.#held.delete(key);
  }

  /** The receiver that holds a session. Throws `session-lock-lost` when the client does not hold it. */
  require(path: string, sessionId: string): SessionReceiver {
    const session = this.#held.get(keyOf(path, sessionId));
    if (session !== undefined && !session.isLost) return session;
    throw new BrokerError(
      "session-lock-lost",
      `The lock on session '${sessionId}' of '${path}' is lost: it expired or was released. Accept the session again.`,
      { entity: path },
    );
  }
}

function keyOf(path: string, sessionId: string): string {
  return `${path.toLowerCase()}\n${sessionId}`;
}
