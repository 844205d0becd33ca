import { required } from "@waybill/foundation";
import type { Engine } from "../engine/engine.js";
import type { EntityStatus } from "../entities/entity-options.js";
import { isTopicItself, lockDurationOf, topicRefusal } from "../entities/entity-registry.js";
import type { Lane } from "../entities/lane.js";
import type { MessageStore } from "../entities/message-store.js";
import type { ReceiveMode } from "../entities/waiter.js";
import { type BrokerError, refusal } from "../errors/broker-error.js";
import { expireMessage } from "../lifecycle/expire-message.js";
import { discardMessage } from "../lifecycle/place-message.js";
import { MessageLock } from "../messages/message-lock.js";
import { BrokerReceivedMessage } from "../messages/received-message.js";
import type { StoredMessage } from "../messages/stored-message.js";

/** Takes up to `maxCount` ready messages of a lane. */
export function receiveReady(
  engine: Engine,
  lane: Lane,
  mode: ReceiveMode,
  maxCount: number,
  nowMs: number,
): BrokerReceivedMessage[] {
  const first = takeReady(engine, lane, nowMs);
  if (first === undefined) return [];
  // An array that begins empty would get room for 17 messages with its first.
  const received = [handOut(engine, first, mode, nowMs)];
  while (received.length < maxCount) {
    const message = takeReady(engine, lane, nowMs);
    if (message === undefined) break;
    received.push(handOut(engine, message, mode, nowMs));
  }
  return received;
}

/** Delivers a lane's ready messages to its waiters, in the order in which they joined. */
export function serveWaiters(engine: Engine, lane: Lane, nowMs: number): void {
  if (lane.isDispatching) return;
  lane.isDispatching = true;
  try {
    for (let waiter = lane.waiters.first; waiter !== undefined; waiter = lane.waiters.first) {
      const message = takeReady(engine, lane, nowMs);
      if (message === undefined) {
        waiter.flush();
        break;
      }
      waiter.demand--;
      const received = handOut(engine, message, waiter.mode, nowMs);
      if (waiter.demand === 0) lane.waiters.leave(waiter);
      waiter.take(received);
      if (waiter.demand === 0) waiter.flush();
    }
  } finally {
    lane.isDispatching = false;
  }
}

/** The next message of a lane that has not expired: many may expire at once, and their timers fire in several turns. */
function takeReady(engine: Engine, lane: Lane, nowMs: number): StoredMessage | undefined {
  if (lane.isShut) return undefined;
  for (let message = lane.ready.shift(); message !== undefined; message = lane.ready.shift()) {
    const { expiryMs, store } = message;
    if (expiryMs === undefined || expiryMs > nowMs || store.kind !== "main") return message;
    expireMessage(engine, message, nowMs);
  }
  return undefined;
}

/**
 * Throws `entity-disabled` or `not-allowed` if receivers cannot receive: entities with sessions require a session receiver, and entities
 * that forward cannot be received from.
 */
export function checkReceivable(store: MessageStore, sessionId: string | undefined): void {
  if (isTopicItself(store)) throw topicRefusal(store.path);
  const { path, options } = store.owner;
  if (options.status === "Disabled" || options.status === "ReceiveDisabled") {
    throw disabled(path, options.status);
  }
  if (store.sessions !== undefined && sessionId === undefined) throw sessionRequired(path);
  if (store.kind === "main" && "forwardTo" in options && options.forwardTo !== undefined) {
    throw forwarding(path, options.forwardTo);
  }
}

function disabled(path: string, status: EntityStatus): BrokerError {
  return refusal(path, "entity-disabled", `Cannot receive from '${path}': its status is ${status}.`);
}

function sessionRequired(path: string): BrokerError {
  const text = `It is not possible for an entity that requires sessions to create a non-sessionful message receiver: accept a session to receive from '${path}'.`;
  return refusal(path, "not-allowed", text);
}

function forwarding(path: string, forwardTo: string): BrokerError {
  const text = `Cannot receive from '${path}': it forwards its messages to '${forwardTo}'.`;
  return refusal(path, "not-allowed", text);
}

/** Delivers a message that has left its lane: locks it, or removes it in receive-and-delete mode. */
export function handOut(
  engine: Engine,
  message: StoredMessage,
  mode: ReceiveMode,
  nowMs: number,
): BrokerReceivedMessage {
  engine.emit("delivered", message, nowMs, mode);
  if (mode === "peekLock") {
    lockMessage(engine, message, nowMs);
    return new BrokerReceivedMessage(message);
  }
  const received = new BrokerReceivedMessage(message);
  discardMessage(engine, message);
  return received;
}

function lockMessage(engine: Engine, message: StoredMessage, nowMs: number): void {
  const { session } = message;
  message.disarm();
  message.lock = new MessageLock(message, engine.lockTokens);
  if (session === undefined) message.arm(nowMs + lockDurationOf(message.store));
  else required(session.lock, "The lock of a session").hold(message);
}
