import { required } from "@waybill/foundation";
import type { Engine } from "../engine/engine.js";
import type { StoredMessage } from "../messages/stored-message.js";
import type { MessageRecord } from "../storage/storage.js";
import { packWaiting } from "./pack-waiting.js";
import { offerSession } from "./session-lock.js";

/** Adds a message to its store and the storage; an active message becomes ready. */
export function placeMessage(engine: Engine, message: StoredMessage): void {
  enterMessage(engine, message);
  saveMessage(engine, message);
}

/** Adds a message that is already in the storage: index, counts, session, timer, lane. */
export function enterMessage(engine: Engine, message: StoredMessage): void {
  packWaiting(message.store);
  message.store.add(message);
  joinSession(message);
  if (message.state === "scheduled") {
    const { scheduledEnqueueTimeMs } = message.content;
    message.arm(required(scheduledEnqueueTimeMs, "The time of a scheduled message"));
  } else if (message.state === "active") {
    armExpiry(message);
    makeReady(engine, message);
  }
}

/** Removes a message from its store; its body keeps its reference. The message must not be in a lane. */
export function takeOut(engine: Engine, message: StoredMessage): void {
  const { store, session } = message;
  message.disarm();
  store.remove(message);
  message.lock = undefined;
  if (session !== undefined) {
    session.leave(message);
    store.sessions?.closeIfEmpty(session);
  }
  if (!engine.storage.isVolatile) engine.storage.deleteMessage(store.id, message.sequence);
}

/** Removes a ready message from its lane; to be followed by `takeOut`. */
export function removeFromLane(message: StoredMessage): void {
  message.store.readyOf(message).forget();
}

/** Removes a message and releases its body. The message must not be in a lane. */
export function discardMessage(engine: Engine, message: StoredMessage): void {
  takeOut(engine, message);
  engine.storage.releaseBody(message.content.bodyId);
}

/** Adds an active, unlocked message to its lane. */
export function makeReady(engine: Engine, message: StoredMessage): void {
  const { store, session } = message;
  store.readyOf(message).add(message);
  if (session === undefined) {
    engine.wake(store.lane);
    return;
  }
  const lane = session.lock?.lane;
  if (lane !== undefined) engine.wake(lane);
  else offerSession(engine, session);
}

/** Arms the expiry timer of an active message with a time to live. Deferred and dead-lettered messages do not expire by timer. */
export function armExpiry(message: StoredMessage): void {
  const { expiryMs } = message;
  if (expiryMs !== undefined && message.store.kind === "main") message.arm(expiryMs);
}

/** Writes a message's record to the storage. The message itself serves as the record, to avoid a copy. */
export function saveMessage(engine: Engine, message: StoredMessage): void {
  if (engine.storage.isVolatile || message.state === "gone") return;
  engine.storage.putMessage(message.store.id, message.sequence, message as MessageRecord);
}

function joinSession(message: StoredMessage): void {
  const { sessionId } = message.content;
  const { sessions } = message.store;
  if (sessions === undefined || sessionId === undefined) return;
  message.session = sessions.open(sessionId);
  message.session.messageCount++;
  if (message.state !== "active") message.session.setAside(message);
}
