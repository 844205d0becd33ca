import { BrokerError } from "../broker-error.js";
import type { Engine } from "../engine.js";
import type { Session } from "../entities/session.js";

/** The state of a session, as a copy; undefined when it has none. */
export function getSessionState(session: Session): Uint8Array | undefined {
  return session.state?.slice();
}

/**
 * Sets the state of a session, which outlives its messages; undefined clears it. Throws `message-size-exceeded` for a state larger
 * than a message may be.
 */
export function setSessionState(
  engine: Engine,
  session: Session,
  state: Uint8Array | undefined,
  nowMs: number,
): void {
  const { store } = session;
  const { owner } = store;
  const limits = owner.kind === "subscription" ? owner.topic.options : owner.options;
  const limit = (limits as { maxMessageSizeInKilobytes: number }).maxMessageSizeInKilobytes * 1024;
  if (state !== undefined && state.byteLength > limit) {
    throw new BrokerError(
      "message-size-exceeded",
      `The state of session '${session.id}' of '${store.path}' has ${state.byteLength} bytes, at most ${limit} are kept.`,
      { entity: store.path },
    );
  }
  session.state = state === undefined ? undefined : Uint8Array.prototype.slice.call(state);
  session.updatedAtMs = nowMs;
  if (engine.storage.isVolatile) return;
  if (session.state === undefined) engine.storage.deleteSession(store.id, session.id);
  else engine.storage.putSession(store.id, session.id, { state: session.state, updatedAtMs: nowMs });
}
