import type { CompiledRule } from "../../src/rules/rule.js";
import { addEntity, checkForwards, removeEntity } from "./naive-entities.js";
import {
  available,
  inOrder,
  type MessageView,
  type Mode,
  makeEntity,
  type NaiveConsumer,
  type NaiveContent,
  type NaiveOptions,
  type NaiveProperties,
  type NaiveReceipt,
  NaiveRefusal,
  type NaiveSessionLock,
  type NaiveTransaction,
  type NaiveWait,
  type Settlement,
} from "./naive-entity.js";
import {
  checkBatch,
  checkSends,
  enter,
  enterVia,
  failDelivery,
  isDuplicate,
  keepScheduled,
  release,
} from "./naive-journey.js";
import { checkLock, checkSettlement, settleMessage } from "./naive-settling.js";
import {
  arm,
  checkBusy,
  checkReceivable,
  entityAt,
  findEntity,
  hasRoom,
  type NaiveState,
  receivableAt,
  remove,
  removeAll,
  storeAt,
  targetAt,
  use,
} from "./naive-state.js";
import { sessionDue } from "./naive-timers.js";
import { viewOf } from "./naive-view.js";
import { endSession, findDeferred, handOut, refuseWaits, waitForMessages } from "./naive-waits.js";

// The operations of a broker written to be obviously correct: plain arrays, linear searches, and no timers except a search for the next due event. The
// engine has to agree with it on everything observable, after every command.

export function createQueue(state: NaiveState, path: string, options: Partial<NaiveOptions>): void {
  if (findEntity(state, path) !== undefined) throw new NaiveRefusal("entity-already-exists");
  addEntity(state, makeEntity("queue", path, undefined, checkForwards(state, options), []));
}

export function createTopic(state: NaiveState, path: string, options: Partial<NaiveOptions>): void {
  addEntity(state, makeEntity("topic", path, undefined, options, []));
}

export function createSubscription(
  state: NaiveState,
  topic: string,
  name: string,
  options: Partial<NaiveOptions>,
  rules: CompiledRule[],
): void {
  entityAt(state, topic).accessedAtMs = state.nowMs;
  const path = `${topic}/Subscriptions/${name}`;
  addEntity(state, makeEntity("subscription", path, topic, checkForwards(state, options), rules));
}

export function deleteEntity(state: NaiveState, path: string): void {
  removeEntity(state, entityAt(state, path));
}

/** Changes a subscription's rules; `change` is asked for them once it is known to be there. */
export function changeRules(state: NaiveState, path: string, change: () => readonly CompiledRule[]): void {
  const entity = entityAt(state, path);
  entity.rules = [...change()];
  use(state, entity);
}

/** Removes everything from a store; returns the number of messages. */
export function purge(state: NaiveState, path: string): number {
  const { messages } = storeAt(state, path);
  for (const message of messages) remove(message);
  return messages.length;
}

/** Empties every entity and ends all faults. */
export function reset(state: NaiveState): void {
  for (const entity of state.entities) {
    removeAll(entity);
    for (const session of entity.main.sessions) {
      if (session.lock !== undefined) endSession(state, session.lock);
      session.state = null;
    }
    entity.duplicates = [];
  }
  clearFaults(state);
}

// --- faults

export function fill(state: NaiveState, path: string): void {
  entityAt(state, path).isFilled = true;
}

export function repeatDeliveries(state: NaiveState, path: string, count: number): void {
  state.repeats.set(entityAt(state, path).path, count);
}

export function throttle(state: NaiveState, path: string, count: number): void {
  state.throttled.set(storeAt(state, path).entity.path, count);
}

export function loseLock(state: NaiveState, { message, lock }: NaiveReceipt): void {
  entityAt(state, message.store.entity.path);
  if (lock === undefined || message.lock !== lock) throw new NaiveRefusal("message-lock-lost");
  if (lock.session === undefined) failDelivery(state, message);
  else sessionDue(state, lock.session);
}

export function dropLinks(state: NaiveState, path: string): void {
  const dropped = storeAt(state, path);
  refuseWaits(state, "link-detached", (store) => store === dropped);
}

export function clearFaults(state: NaiveState): void {
  for (const entity of state.entities) {
    entity.isFilled = false;
    state.repeats.delete(entity.path);
    state.throttled.delete(entity.path);
  }
}

// --- sending

export function send(state: NaiveState, path: string, contents: readonly NaiveContent[]): void {
  const entity = targetAt(state, path);
  checkBatch(entity, contents);
  checkSends(state, entity, contents);
  for (const content of contents) enter(state, entity, content);
}

/** Sends to `path` via a queue, which keeps what cannot be sent on. */
export function sendVia(
  state: NaiveState,
  via: string,
  path: string,
  contents: readonly NaiveContent[],
): void {
  const entity = targetAt(state, via);
  checkSends(state, entity, contents);
  for (const content of contents) enterVia(state, entity, path, content);
}

export function schedule(state: NaiveState, path: string, content: NaiveContent): number {
  const entity = targetAt(state, path);
  checkSends(state, entity, [content]);
  if (isDuplicate(state, entity, content)) return 0;
  return keepScheduled(state, entity, content);
}

export function cancelScheduled(state: NaiveState, path: string, sequence: number): void {
  const { main } = targetAt(state, path);
  const message = main.messages.find((each) => each.sequence === sequence && each.state === "scheduled");
  if (message === undefined) throw new NaiveRefusal("message-not-found");
  remove(message);
}

// --- receiving

/** Receives what is ready, or waits for the first messages that come; ends with none when the time is up. */
export function receive(
  state: NaiveState,
  path: string,
  count: number,
  mode: Mode,
  maxWaitMs: number,
): NaiveWait {
  const store = receivableAt(state, path, undefined);
  return waitForMessages(state, store, undefined, count, mode, maxWaitMs);
}

export function receiveFromSession(
  state: NaiveState,
  hold: NaiveSessionLock,
  count: number,
  mode: Mode,
  maxWaitMs: number,
): NaiveWait {
  checkBusy(state, hold.session.store.entity.path);
  if (hold.isLost) throw new NaiveRefusal("session-lock-lost");
  use(state, hold.session.store.entity);
  checkReceivable(hold.session.store);
  if (mode === "receiveAndDelete") renewSession(state, hold);
  return waitForMessages(state, hold.session.store, hold, count, mode, maxWaitMs);
}

export function consume(state: NaiveState, path: string, mode: Mode): NaiveConsumer {
  const store = receivableAt(state, path, undefined);
  return { store, mode, inbox: [], isClosed: false, refusal: undefined };
}

export function receiveDeferred(
  state: NaiveState,
  path: string,
  sequences: readonly number[],
  mode: Mode,
  hold: NaiveSessionLock | undefined,
): NaiveReceipt[] {
  return handOut(state, findDeferred(state, path, sequences, hold), mode, hold);
}

export function peek(
  state: NaiveState,
  path: string,
  fromSequence: number,
  count: number,
  sessionId: string | undefined,
): MessageView[] {
  const store = storeAt(state, path);
  checkBusy(state, store.entity.path);
  use(state, store.entity);
  return inOrder(store.messages)
    .filter((message) => message.sequence >= fromSequence)
    .filter((message) => sessionId === undefined || message.content.sessionId === sessionId)
    .slice(0, count)
    .map((message) => ({ ...viewOf(message), lockedUntilMs: undefined }));
}

/** Deletes the oldest waiting messages that were enqueued before an instant; returns how many. */
export function deleteMessages(state: NaiveState, path: string, count: number, beforeMs: number): number {
  const chosen = available(receivableAt(state, path, undefined), undefined)
    .filter((message) => message.enqueuedAtMs < beforeMs)
    .slice(0, count);
  for (const message of chosen) remove(message);
  return chosen.length;
}

// --- settling

export function settle(
  state: NaiveState,
  receipt: NaiveReceipt,
  how: Settlement,
  changes: NaiveProperties,
): void {
  checkSettlement(state, receipt, how);
  settleMessage(state, receipt.message, how, changes);
}

export function renewLock(state: NaiveState, receipt: NaiveReceipt): number {
  const { message } = receipt;
  checkLock(state, receipt);
  if (receipt.lock?.session !== undefined) throw new NaiveRefusal("not-allowed");
  message.timer = arm(state, state.nowMs + message.store.entity.options.lockDurationMs);
  return message.timer.dueMs;
}

// --- transactions

export function begin(state: NaiveState): NaiveTransaction {
  const transaction: NaiveTransaction = { state: "open", steps: [], keys: new Map(), timer: undefined };
  state.transactions.push(transaction);
  return transaction;
}

// --- sessions

export function renewSession(state: NaiveState, hold: NaiveSessionLock): number {
  if (hold.isLost) throw new NaiveRefusal("session-lock-lost");
  hold.timer = arm(state, state.nowMs + hold.session.store.entity.options.lockDurationMs);
  return hold.timer.dueMs;
}

/** Gives a session back: its messages become available again and no delivery is counted. */
export function closeSession(state: NaiveState, hold: NaiveSessionLock): void {
  if (hold.isLost) return;
  for (const message of endSession(state, hold)) release(state, message);
}

export function setSessionState(state: NaiveState, hold: NaiveSessionLock, text: string | null): void {
  if (hold.isLost) throw new NaiveRefusal("session-lock-lost");
  const { session } = hold;
  const growth = (text?.length ?? 0) - (session.state?.length ?? 0);
  const { entity } = session.store;
  const owner = entity.topic === undefined ? entity : entityAt(state, entity.topic);
  if (growth > 0 && !hasRoom(state, owner, growth)) throw new NaiveRefusal("quota-exceeded");
  session.state = text;
}

export function getSessionState(hold: NaiveSessionLock): string | null {
  if (hold.isLost) throw new NaiveRefusal("session-lock-lost");
  return hold.session.state;
}
