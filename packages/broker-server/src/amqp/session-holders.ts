import type { BrokerSessionReceiver } from "@waybill/broker";
import { BrokerError } from "@waybill/broker";

/** The sessions held by one client, found by entity and id for its management requests. Sessions of other clients are not accessible. */
export class SessionHolders {
  readonly #held = new Map<string, BrokerSessionReceiver>();

  /** Adds an accepted session, until it is released or lost. */
  add(session: BrokerSessionReceiver): void {
    this.#held.set(keyOf(session.path, session.sessionId), session);
  }

  /** Removes a session, unless another receiver holds it meanwhile. */
  delete(session: BrokerSessionReceiver): void {
    const key = keyOf(session.path, session.sessionId);
    if (this.#held.get(key) === session) this.#held.delete(key);
  }

  /** The receiver that holds a session. Throws `session-lock-lost` if this client does not hold it. */
  require(path: string, sessionId: string): BrokerSessionReceiver {
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
