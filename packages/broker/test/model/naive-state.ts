import {
  costOf,
  isSessionful,
  type NaiveContent,
  type NaiveEntity,
  type NaiveLane,
  type NaiveMessage,
  NaiveRefusal,
  type NaiveSessionLock,
  type NaiveSessionWait,
  type NaiveStore,
  type NaiveTimer,
  type NaiveTransaction,
  type NaiveWait,
  partitionOf,
  partitionRange,
  sizeOf,
  storesOf,
} from "./naive-entity.js";

/** The state of the model of a broker, in plain arrays. */
export interface NaiveState {
  nowMs: number;
  entities: NaiveEntity[];
  waits: NaiveWait[];
  sessionWaits: NaiveSessionWait[];
  readonly transactions: NaiveTransaction[];
  /** Where messages became available since pending receivers were last served. */
  readonly woken: NaiveLane[];
  /** How many completed messages are to be delivered again, by path. */
  readonly repeats: Map<string, number>;
  /** How many operations are to be refused because an entity is busy, by path. */
  readonly throttled: Map<string, number>;
  armings: number;
}

/** An empty broker. */
export function createState(nowMs: number): NaiveState {
  return {
    nowMs,
    entities: [],
    waits: [],
    sessionWaits: [],
    transactions: [],
    woken: [],
    repeats: new Map(),
    throttled: new Map(),
    armings: 0,
  };
}

const suffixes = ["/$Transfer/$DeadLetterQueue", "/$DeadLetterQueue"];

/** The entity of a path, if there is one. */
export function findEntity(state: NaiveState, path: string): NaiveEntity | undefined {
  return state.entities.find((each) => each.path === path);
}

/** The entity of a path. */
export function entityAt(state: NaiveState, path: string): NaiveEntity {
  const entity = findEntity(state, path);
  if (entity === undefined) throw new NaiveRefusal("entity-not-found");
  return entity;
}

/** The target of a send. */
export function targetAt(state: NaiveState, path: string): NaiveEntity {
  const entity = entityAt(state, path);
  checkBusy(state, path);
  use(state, entity);
  return entity;
}

/** The store to receive from, with or without a session. */
export function receivableAt(
  state: NaiveState,
  path: string,
  hold: NaiveSessionLock | undefined,
): NaiveStore {
  const store = storeAt(state, path);
  if (hold === undefined) checkBusy(state, store.entity.path);
  use(state, store.entity);
  checkReceivable(store);
  if (isSessionful(store) && hold === undefined) throw new NaiveRefusal("not-allowed");
  return store;
}

/** The store of a path, which may be a dead-letter queue. */
export function storeAt(state: NaiveState, path: string): NaiveStore {
  const suffix = suffixes.find((each) => path.endsWith(each));
  if (suffix === undefined) return entityAt(state, path).main;
  const entity = entityAt(state, path.slice(0, -suffix.length));
  return suffix === suffixes[0] ? entity.transferDeadLetter : entity.deadLetter;
}

/** Refuses an operation on a busy entity, and counts it. */
export function checkBusy(state: NaiveState, path: string): void {
  const left = state.throttled.get(path) ?? 0;
  if (left === 0) return;
  state.throttled.set(path, left - 1);
  throw new NaiveRefusal("server-busy");
}

/** Records the use of an entity. */
export function use(state: NaiveState, entity: NaiveEntity): void {
  entity.accessedAtMs = state.nowMs;
}

/** A timer; those of the same time fire in the order in which they were set. */
export function arm(state: NaiveState, dueMs: number): NaiveTimer {
  state.armings++;
  return { dueMs, order: state.armings };
}

/** The next sequence number in the partition of the message's key; messages without one use the partitions in turn. */
export function takeNumber(state: NaiveState, entity: NaiveEntity, content: NaiveContent): number {
  const partition = isPartitioned(state, entity) ? choosePartition(state, entity, content) : 0;
  const number = entity.next.get(partition) ?? 1;
  entity.next.set(partition, number + 1);
  return partition * partitionRange + number;
}

/** The position of a message that enters an entity: that of its sequence number if there are no partitions. */
export function takePlace(state: NaiveState, entity: NaiveEntity, sequence: number): number {
  entity.arrivals++;
  return isPartitioned(state, entity) ? entity.arrivals : sequence;
}

/** The key that determines the partition of a message: the id if duplicates are detected. */
export function keyOf(
  state: NaiveState,
  entity: NaiveEntity,
  { messageId, sessionId, partitionKey }: NaiveContent,
): string | undefined {
  const { requiresDuplicateDetection } = sendingEntity(state, entity).options;
  return sessionId ?? partitionKey ?? (requiresDuplicateDetection ? messageId : undefined);
}

/** Whether an entity is partitioned. */
export function isPartitioned(state: NaiveState, entity: NaiveEntity): boolean {
  return sendingEntity(state, entity).options.enablePartitioning;
}

function choosePartition(state: NaiveState, entity: NaiveEntity, content: NaiveContent): number {
  const key = keyOf(state, entity, content);
  if (key !== undefined) return partitionOf(key);
  entity.turns++;
  return (entity.turns - 1) % 16;
}

/** The queue, or the topic of a subscription. */
function sendingEntity(state: NaiveState, entity: NaiveEntity): NaiveEntity {
  return entity.topic === undefined ? entity : entityAt(state, entity.topic);
}

/** Removes a message from its store. */
export function remove(message: NaiveMessage): void {
  message.timer = undefined;
  message.lock = undefined;
  message.store.messages = message.store.messages.filter((each) => each !== message);
}

/** Takes all messages out of an entity. */
export function removeAll(entity: NaiveEntity): void {
  for (const { messages } of storesOf(entity)) for (const message of messages) remove(message);
}

/** The bytes of an entity's messages. */
export function sizeOfEntity(state: NaiveState, entity: NaiveEntity): number {
  return sizesOf(state, entity).reduce((sum, bytes) => sum + bytes, 0);
}

/** The bytes that count against an entity's quota. Changes by settlements and rules are too small to matter here. */
function costOfEntity(state: NaiveState, entity: NaiveEntity): number {
  const enlisted = state.transactions
    .filter((transaction) => transaction.state === "open")
    .flatMap(({ steps }) => steps)
    .flatMap((step) => ("content" in step && step.entity === entity ? step.content : []));
  const contents = [
    ...quotaStoresOf(state, entity).flatMap(({ messages }) => messages.map(({ content }) => content)),
    ...enlisted,
  ];
  const states = statesOf(state, entity);
  return [...contents.map(costOf), ...states].reduce((sum, bytes) => sum + bytes, 0);
}

function sizesOf(state: NaiveState, entity: NaiveEntity): number[] {
  const messages = quotaStoresOf(state, entity).flatMap((store) => store.messages);
  return [...messages.map(({ content }) => sizeOf(content)), ...statesOf(state, entity)];
}

function statesOf(state: NaiveState, entity: NaiveEntity): number[] {
  const sessions = quotaStoresOf(state, entity).flatMap((store) => store.sessions);
  return sessions.map((session) => session.state?.length ?? 0);
}

/** The stores of an entity, a topic's with those of its subscriptions. */
function quotaStoresOf(state: NaiveState, entity: NaiveEntity): NaiveStore[] {
  return state.entities.filter((each) => each === entity || each.topic === entity.path).flatMap(storesOf);
}

/** Whether a number of bytes fits into a queue, or into a topic together with its subscriptions. */
export function hasRoom(state: NaiveState, entity: NaiveEntity, bytes: number): boolean {
  const used = costOfEntity(state, entity);
  const partitions = isPartitioned(state, entity) ? 16 : 1;
  return !entity.isFilled && used + bytes <= entity.options.maxSizeInMegabytes * 1024 * 1024 * partitions;
}

/** Throws if receiving is not allowed: from a disabled entity, or a queue that forwards its messages. */
export function checkReceivable({ entity, kind }: NaiveStore): void {
  const { status, forwardTo } = entity.options;
  if (status === "Disabled" || status === "ReceiveDisabled") throw new NaiveRefusal("entity-disabled");
  if (kind === "main" && forwardTo !== undefined) throw new NaiveRefusal("not-allowed");
}
