import {
  available,
  byArrival,
  isSessionful,
  type Mode,
  type NaiveConsumer,
  type NaiveLane,
  type NaiveMessage,
  type NaiveReceipt,
  NaiveRefusal,
  type NaiveSession,
  type NaiveSessionLock,
  type NaiveSessionWait,
  type NaiveStore,
  type NaiveWait,
  openSession,
} from "./naive-entity.js";
import { expire } from "./naive-journey.js";
import {
  arm,
  checkBusy,
  checkReceivable,
  type NaiveState,
  receivableAt,
  remove,
  storeAt,
  use,
} from "./naive-state.js";
import { receivedViewOf } from "./naive-view.js";

// Pending calls for messages and sessions, and their deliveries.

/** Delivers available messages, or records the pending call. */
export function waitForMessages(
  state: NaiveState,
  store: NaiveStore,
  hold: NaiveSessionLock | undefined,
  count: number,
  mode: Mode,
  maxWaitMs: number,
): NaiveWait {
  const ready = handOut(state, available(store, hold?.session.id).slice(0, count), mode, hold);
  const result = ready.length > 0 || maxWaitMs === 0 ? ready : undefined;
  const timer =
    result === undefined && Number.isFinite(maxWaitMs) ? arm(state, state.nowMs + maxWaitMs) : undefined;
  const wait: NaiveWait = { store, hold, count, mode, timer, consumer: undefined, result };
  if (result === undefined) state.waits.push(wait);
  return wait;
}

function serveLane(state: NaiveState, { store, sessionId }: NaiveLane): void {
  for (const wait of state.waits) {
    if (wait.store !== store || wait.hold?.session.id !== sessionId) continue;
    const messages = available(store, sessionId).slice(0, wait.count);
    if (messages.length === 0) break;
    const receipts = handOut(state, messages, wait.mode, wait.hold);
    wait.count -= receipts.length;
    if (wait.consumer === undefined) wait.result = receipts;
    else wait.consumer.inbox.push(...receipts);
  }
  state.waits = state.waits.filter(({ result, count }) => result === undefined && count > 0);
}

/** Delivers waiting messages to pending receivers in the order of their calls. Must be called after every operation. */
export function serve(state: NaiveState): void {
  serveSessions(state);
  // The order of lanes matters only if locks end at the same time.
  for (const lane of state.woken.splice(0)) serveLane(state, lane);
}

/** Records that a message is available for pending calls. */
export function wake(state: NaiveState, { store, content }: Pick<NaiveMessage, "store" | "content">): void {
  state.woken.push({ store, sessionId: isSessionful(store) ? content.sessionId : undefined });
}

/** Gives sessions to pending calls as soon as a message becomes available. */
export function serveSessions(state: NaiveState): void {
  for (const wait of state.sessionWaits) wait.result = nextSession(state, wait.store);
  state.sessionWaits = state.sessionWaits.filter(({ result }) => result === undefined);
}

/** Grants credit to a consumer; closes it if receiving is no longer allowed. */
export function grant(state: NaiveState, consumer: NaiveConsumer, count: number): void {
  if (consumer.isClosed || count === 0) return;
  const { store, mode } = consumer;
  try {
    if (!state.entities.includes(store.entity)) throw new NaiveRefusal("entity-not-found");
    checkReceivable(store);
  } catch (error) {
    closeConsumer(state, consumer);
    consumer.refusal = error as NaiveRefusal;
    return;
  }
  state.waits.push({ store, mode, count, consumer, hold: undefined, timer: undefined, result: undefined });
  state.woken.push({ store, sessionId: undefined });
}

/** Removes unused credit; returns how much. */
export function drain(state: NaiveState, consumer: NaiveConsumer): number {
  const grants = state.waits.filter((wait) => wait.consumer === consumer);
  state.waits = state.waits.filter((wait) => wait.consumer !== consumer);
  return grants.reduce((sum, { count }) => sum + count, 0);
}

/** Ends a consumer; it keeps its messages. */
export function closeConsumer(state: NaiveState, consumer: NaiveConsumer): void {
  consumer.isClosed = true;
  drain(state, consumer);
}

/** Locks messages for their receiver, or removes them. */
export function handOut(
  state: NaiveState,
  messages: readonly NaiveMessage[],
  mode: Mode,
  hold: NaiveSessionLock | undefined,
): NaiveReceipt[] {
  return messages.map((message) => {
    if (mode === "receiveAndDelete") {
      remove(message);
      return { message, lock: undefined, hold, view: receivedViewOf(message) };
    }
    message.lock = { session: hold };
    message.timer =
      hold === undefined ? arm(state, state.nowMs + message.store.entity.options.lockDurationMs) : undefined;
    return { message, lock: message.lock, hold, view: receivedViewOf(message) };
  });
}

/** Rejects pending calls for messages and for sessions. */
export function refuseWaits(
  state: NaiveState,
  code: string,
  isMeant: (store: NaiveStore, hold: NaiveSessionLock | undefined) => boolean,
): void {
  for (const wait of state.waits.filter(({ store, hold }) => isMeant(store, hold))) {
    if (wait.consumer === undefined) endWait(state, wait, new NaiveRefusal(code));
    else {
      closeConsumer(state, wait.consumer);
      wait.consumer.refusal = new NaiveRefusal(code);
    }
  }
  for (const wait of state.sessionWaits.filter(({ store }) => isMeant(store, undefined))) {
    endSessionWait(state, wait, code);
  }
}

/** Ends a pending receive call. */
export function endWait(state: NaiveState, wait: NaiveWait, result: NaiveWait["result"]): void {
  wait.result = result;
  state.waits = state.waits.filter((each) => each !== wait);
}

/** Ends a pending call for a session. */
export function endSessionWait(state: NaiveState, wait: NaiveSessionWait, code: string): void {
  wait.result = new NaiveRefusal(code);
  state.sessionWaits = state.sessionWaits.filter((each) => each !== wait);
}

function nextSession(state: NaiveState, store: NaiveStore): NaiveSessionLock | undefined {
  const free = available(store, undefined).find(
    ({ content }) => openSession(store, content.sessionId ?? "").lock === undefined,
  );
  return free && lockSession(state, openSession(store, free.content.sessionId ?? ""));
}

function lockSession(state: NaiveState, session: NaiveSession): NaiveSessionLock {
  const timer = arm(state, state.nowMs + session.store.entity.options.lockDurationMs);
  session.lock = { session, isLost: false, timer };
  return session.lock;
}

/** Ends a session's lock and returns its locked messages, oldest first. */
export function endSession(state: NaiveState, lock: NaiveSessionLock): NaiveMessage[] {
  lock.isLost = true;
  lock.session.lock = undefined;
  refuseWaits(state, "session-lock-lost", (_, hold) => hold === lock);
  return byArrival(lock.session.store.messages.filter((message) => message.lock?.session === lock));
}

/** Locks the session of an id, with or without messages. */
export function acceptSession(state: NaiveState, path: string, sessionId: string): NaiveSessionLock {
  const store = sessionfulAt(state, path);
  const session = openSession(store, sessionId);
  if (session.lock !== undefined) throw new NaiveRefusal("session-cannot-be-locked");
  return lockSession(state, session);
}

/** Locks the unlocked session with the oldest waiting message, or waits for one; ends with `timeout`. */
export function acceptNextSession(state: NaiveState, path: string, maxWaitMs: number): NaiveSessionWait {
  const store = sessionfulAt(state, path);
  const lock = nextSession(state, store);
  const result = lock ?? (maxWaitMs === 0 ? new NaiveRefusal("timeout") : undefined);
  const timer =
    result === undefined && Number.isFinite(maxWaitMs) ? arm(state, state.nowMs + maxWaitMs) : undefined;
  const wait: NaiveSessionWait = { store, timer, result };
  if (result === undefined) state.sessionWaits.push(wait);
  return wait;
}

/** Finds deferred messages by their numbers, all or none. */
export function findDeferred(
  state: NaiveState,
  path: string,
  sequences: readonly number[],
  hold: NaiveSessionLock | undefined,
): NaiveMessage[] {
  if (hold !== undefined) checkBusy(state, hold.session.store.entity.path);
  if (hold?.isLost === true) throw new NaiveRefusal("session-lock-lost");
  const store = receivableAt(state, path, hold);
  const found = sequences.map((sequence) =>
    store.messages.find(
      (each) =>
        each.sequence === sequence &&
        each.state === "deferred" &&
        each.lock === undefined &&
        (hold === undefined || each.content.sessionId === hold.session.id),
    ),
  );
  const messages = found.filter((each) => each !== undefined);
  if (messages.length < found.length || new Set(messages).size < messages.length) {
    throw new NaiveRefusal("message-not-found");
  }
  const expired = messages.filter((each) => each.store.kind === "main" && each.expiresAtMs <= state.nowMs);
  for (const message of expired) expire(state, message);
  if (expired.length > 0) throw new NaiveRefusal("message-not-found");
  return messages;
}

/** The store in which sessions are accepted. */
function sessionfulAt(state: NaiveState, path: string): NaiveStore {
  const store = storeAt(state, path);
  if (!isSessionful(store)) throw new NaiveRefusal("not-allowed");
  checkBusy(state, store.entity.path);
  checkReceivable(store);
  use(state, store.entity);
  return store;
}
