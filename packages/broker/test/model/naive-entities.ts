import {
  available,
  byArrival,
  inOrder,
  type NaiveEntity,
  type NaiveOptions,
  storesOf,
} from "./naive-entity.js";
import { armExpiry, forward } from "./naive-journey.js";
import {
  arm,
  entityAt,
  isPartitioned,
  type NaiveState,
  remove,
  removeAll,
  takePlace,
  use,
} from "./naive-state.js";
import { refuseWaits } from "./naive-waits.js";

// Creating, changing and deleting entities.

/** Adds an entity, whose idle time starts now. */
export function addEntity(state: NaiveState, entity: NaiveEntity): void {
  state.entities.push(entity);
  use(state, entity);
  watchIdle(state, entity);
}

/** Refuses missing targets, and forwarding together with deletion on idle. */
export function checkForwards<Options extends Partial<NaiveOptions>>(
  state: NaiveState,
  options: Options,
): Options {
  const { forwardTo, forwardDeadLetteredMessagesTo } = options;
  for (const target of [forwardTo, forwardDeadLetteredMessagesTo])
    if (target !== undefined) entityAt(state, target);
  return forwardTo === undefined ? options : { ...options, autoDeleteOnIdleMs: Number.POSITIVE_INFINITY };
}

/** Changes properties; pending receivers are refused if receiving is no longer allowed, and waiting messages are forwarded. */
export function updateEntity(state: NaiveState, path: string, changes: Partial<NaiveOptions>): void {
  const entity = entityAt(state, path);
  entity.options = checkForwards(state, { ...entity.options, ...changes });
  use(state, entity);
  watchIdle(state, entity);
  const { status, forwardTo } = entity.options;
  if (status === "Disabled" || status === "ReceiveDisabled") {
    refuseWaits(state, "entity-disabled", (store) => store.entity === entity);
  } else if (forwardTo !== undefined) {
    refuseWaits(state, "not-allowed", (store) => store === entity.main);
  }
  if (forwardTo === undefined) return;
  for (const message of available(entity.main, undefined)) {
    remove(message);
    forward(state, message, forwardTo);
  }
}

/** Removes an entity with its content. */
export function removeEntity(state: NaiveState, entity: NaiveEntity): void {
  refuseWaits(state, "entity-not-found", (store) => store.entity === entity);
  for (const { lock } of entity.main.sessions) if (lock !== undefined) lock.isLost = true;
  removeAll(entity);
  state.entities = state.entities.filter((each) => each !== entity);
}

/** Orders the messages of all partitions by their times of arrival. */
function orderAgain(state: NaiveState, entity: NaiveEntity): void {
  entity.turns = 0;
  entity.arrivals = 0;
  if (!isPartitioned(state, entity)) return;
  for (const { messages } of storesOf(entity)) {
    const ordered = inOrder(messages).sort((a, b) => a.enqueuedAtMs - b.enqueuedAtMs);
    for (const message of ordered) message.arrival = takePlace(state, entity, message.sequence);
  }
}

/** Afterwards there are no locks, without a failed delivery, and no pending calls. */
export function restart(state: NaiveState): void {
  refuseWaits(state, "broker-closed", () => true);
  for (const entity of state.entities) orderAgain(state, entity);
  // Messages of partitions are ordered after all others were added.
  const byPartitioning = [...state.entities].sort(
    (a, b) => Number(isPartitioned(state, a)) - Number(isPartitioned(state, b)),
  );
  for (const entity of byPartitioning) {
    for (const session of entity.main.sessions) {
      if (session.lock !== undefined) session.lock.isLost = true;
      session.lock = undefined;
    }
    for (const message of storesOf(entity).flatMap(({ messages }) => byArrival(messages))) {
      message.lock = undefined;
      message.timer = undefined;
      if (message.state === "scheduled")
        message.timer = arm(state, message.content.scheduledAtMs ?? state.nowMs);
      else if (message.state === "active" && message.store.kind === "main") armExpiry(state, message);
    }
  }
  state.repeats.clear();
  state.throttled.clear();
  for (const entity of state.entities) {
    entity.isFilled = false;
    use(state, entity);
    watchIdle(state, entity);
  }
}

/** Starts the idle time after which an unused entity is deleted. */
export function watchIdle(state: NaiveState, entity: NaiveEntity): void {
  entity.idleTimer = arm(state, entity.accessedAtMs + entity.options.autoDeleteOnIdleMs);
}
