import type { Engine } from "../engine/engine.js";
import type { Session } from "../entities/session.js";
import { refusal } from "../errors/broker-error.js";
import { hasRoom } from "../lifecycle/forward-message.js";
import { requireMemory } from "../lifecycle/require-memory.js";

/**
 * Sets the state of a session, which outlives its messages and counts towards the entity's quota; undefined clears it. Throws
 * `message-size-exceeded` for a state larger than the maximum message size, `quota-exceeded` if the quota has no room.
 */
export function setSessionState(
  engine: Engine,
  session: Session,
  state: Uint8Array | undefined,
  nowMs: number,
): void {
  const { store } = session;
  if (state !== undefined) checkSize(session, state);
  session.setState(state === undefined ? undefined : Uint8Array.prototype.slice.call(state), nowMs);
  if (engine.storage.isVolatile) return;
  if (session.state === undefined) engine.storage.deleteSession(store.id, session.id);
  else engine.storage.putSession(store.id, session.id, { state: session.state, updatedAtMs: nowMs });
}

function checkSize({ id, store, state: present }: Session, state: Uint8Array): void {
  const owner = store.owner.kind === "subscription" ? store.owner.topic : store.owner;
  const { maxMessageSizeInKilobytes, maxSizeInMegabytes } = owner.options;
  const limit = maxMessageSizeInKilobytes * 1024;
  const what = `The state of session '${id}' of '${store.path}'`;
  if (state.byteLength > limit) {
    const text = `${what} has ${state.byteLength} bytes, at most ${limit} are kept.`;
    throw refusal(store.path, "message-size-exceeded", text);
  }
  const growth = state.byteLength - (present?.byteLength ?? 0);
  if (growth <= 0) return;
  if (hasRoom(owner, growth)) {
    requireMemory(owner, growth, `set the state of session '${id}' of`, store.path);
    store.engine.memory.grow(growth);
    return;
  }
  const text = `${what} cannot grow: '${owner.path}' has reached its maximum size of ${maxSizeInMegabytes} MB. Receive messages or clear states first.`;
  throw refusal(store.path, "quota-exceeded", text);
}
