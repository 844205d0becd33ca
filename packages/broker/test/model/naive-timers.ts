import { removeEntity, watchIdle } from "./naive-entities.js";
import {
  fresh,
  type NaiveEntity,
  type NaiveMessage,
  type NaiveSessionLock,
  type NaiveStore,
  type NaiveTimer,
  storesOf,
} from "./naive-entity.js";
import { expire, failDelivery, route } from "./naive-journey.js";
import { arm, type NaiveState, remove, use } from "./naive-state.js";
import { endSession, endSessionWait, endWait, serve } from "./naive-waits.js";

// Due events.

/** Advances time; due events happen at their time, one after the other. */
export function advance(state: NaiveState, ms: number): void {
  const untilMs = state.nowMs + ms;
  for (;;) {
    const due = dueBy(state, untilMs);
    if (due === undefined) break;
    state.nowMs = Math.max(state.nowMs, due.timer.dueMs);
    due.fire();
    serve(state);
  }
  state.nowMs = untilMs;
}

function dueBy(
  state: NaiveState,
  untilMs: number,
): { readonly timer: NaiveTimer; readonly fire: () => void } | undefined {
  const all: { timer: NaiveTimer; fire: () => void }[] = [];
  for (const entity of state.entities) {
    const { main, idleTimer } = entity;
    if (idleTimer !== undefined) all.push({ timer: idleTimer, fire: () => idleDue(state, entity) });
    for (const message of storesOf(entity).flatMap(({ messages }) => messages)) {
      if (message.timer !== undefined)
        all.push({ timer: message.timer, fire: () => messageDue(state, message) });
    }
    for (const { lock } of main.sessions) {
      if (lock !== undefined) all.push({ timer: lock.timer, fire: () => sessionDue(state, lock) });
    }
  }
  for (const wait of state.waits) {
    if (wait.timer !== undefined) all.push({ timer: wait.timer, fire: () => endWait(state, wait, []) });
  }
  for (const wait of state.sessionWaits) {
    if (wait.timer !== undefined)
      all.push({ timer: wait.timer, fire: () => endSessionWait(state, wait, "timeout") });
  }
  for (const transaction of state.transactions) {
    const { timer } = transaction;
    const fire = () => {
      transaction.state = "timed-out";
    };
    if (timer !== undefined && transaction.state === "open") all.push({ timer, fire });
  }
  return all
    .filter(({ timer }) => timer.dueMs <= untilMs)
    .sort((a, b) => a.timer.dueMs - b.timer.dueMs || a.timer.order - b.timer.order)[0];
}

/** Deletes an entity that was unused for its idle time, unless it has pending receivers or scheduled messages. */
function idleDue(state: NaiveState, entity: NaiveEntity): void {
  const { main, options } = entity;
  if (main.messages.some((message) => message.state === "scheduled") || isAwaited(state, main))
    use(state, entity);
  for (const { topic, main: theirs, accessedAtMs } of state.entities) {
    if (entity.kind !== "topic" || topic !== entity.path) continue;
    const usedAtMs = isAwaited(state, theirs) ? state.nowMs : accessedAtMs;
    entity.accessedAtMs = Math.max(entity.accessedAtMs, usedAtMs);
  }
  if (entity.accessedAtMs + options.autoDeleteOnIdleMs <= state.nowMs) removeEntity(state, entity);
  else watchIdle(state, entity);
}

function isAwaited(state: NaiveState, awaited: NaiveStore): boolean {
  if (awaited.sessions.some(({ lock }) => lock !== undefined)) return true;
  return [...state.waits, ...state.sessionWaits].some(({ store }) => store === awaited);
}

function messageDue(state: NaiveState, message: NaiveMessage): void {
  if (message.state === "scheduled") {
    remove(message);
    route(state, message.store.entity, { ...fresh(message.content), wasScheduled: true });
  } else if (message.lock !== undefined) {
    failDelivery(state, message);
  } else {
    expire(state, message);
  }
}

/** An expired session lock counts as a failed delivery of all its messages. */
export function sessionDue(state: NaiveState, lock: NaiveSessionLock): void {
  // A receiver that waits for messages and never settles one keeps the session.
  if (state.waits.some(({ hold, mode }) => hold === lock && mode === "receiveAndDelete")) {
    lock.timer = arm(state, state.nowMs + lock.session.store.entity.options.lockDurationMs);
    return;
  }
  for (const message of endSession(state, lock)) failDelivery(state, message);
}
