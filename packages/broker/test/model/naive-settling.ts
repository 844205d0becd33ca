import {
  type NaiveContent,
  type NaiveEntity,
  type NaiveMessage,
  type NaiveProperties,
  type NaiveReceipt,
  NaiveRefusal,
  type NaiveStep,
  type NaiveTransaction,
  type Settlement,
} from "./naive-entity.js";
import {
  checkBatch,
  checkSends,
  deadLetter,
  enter,
  enterVia,
  failDelivery,
  isDuplicate,
  keepScheduled,
  setAside,
} from "./naive-journey.js";
import {
  arm,
  checkBusy,
  entityAt,
  isPartitioned,
  keyOf,
  type NaiveState,
  remove,
  takeNumber,
  targetAt,
  use,
} from "./naive-state.js";

// Settlements and transactions.

const transactionTimeoutMs = 120_000;

/** Refuses an impossible settlement. */
export function checkSettlement(state: NaiveState, receipt: NaiveReceipt, how: Settlement): void {
  checkLock(state, receipt);
  const isDead = receipt.message.store.kind !== "main";
  if (how === "deadLetter" && isDead) throw new NaiveRefusal("not-allowed");
}

/** Settles a locked message. */
export function settleMessage(
  state: NaiveState,
  message: NaiveMessage,
  how: Settlement,
  changes: NaiveProperties,
): void {
  const { path } = message.store.entity;
  const repeats = state.repeats.get(path) ?? 0;
  if (how !== "complete") message.properties = { ...message.properties, ...changes };
  switch (how) {
    case "complete":
      if (repeats === 0) remove(message);
      else {
        state.repeats.set(path, repeats - 1);
        failDelivery(state, message);
      }
      break;
    case "abandon":
      failDelivery(state, message);
      break;
    case "defer":
      setAside(state, message);
      break;
    case "deadLetter":
      deadLetter(state, message, {});
      break;
  }
}

/** Refuses a receipt whose lock is lost. */
export function checkLock(state: NaiveState, { message, lock, hold }: NaiveReceipt): void {
  checkBusy(state, message.store.entity.path);
  if (hold?.isLost === true) throw new NaiveRefusal("session-lock-lost");
  use(state, entityAt(state, message.store.entity.path));
  if (lock === undefined || message.lock !== lock) {
    throw new NaiveRefusal("message-lock-lost");
  }
}

/** Sends to `path`, or via it to `onward`, when the transaction commits. */
export function sendIn(
  state: NaiveState,
  transaction: NaiveTransaction,
  path: string,
  onward: string | undefined,
  contents: readonly NaiveContent[],
): void {
  const entity = targetAt(state, path);
  requireOpen(transaction);
  if (onward === undefined) checkBatch(entity, contents);
  checkSends(state, entity, contents);
  for (const content of contents) pin(state, transaction, entity, content);
  for (const content of contents) enlist(state, transaction, { entity, content, onward });
}

/** Schedules a message when the transaction commits; its sequence number is assigned at once. */
export function scheduleIn(
  state: NaiveState,
  transaction: NaiveTransaction,
  path: string,
  content: NaiveContent,
): number {
  const entity = targetAt(state, path);
  checkSends(state, entity, [content]);
  requireOpen(transaction);
  pin(state, transaction, entity, content);
  const sequence = takeNumber(state, entity, content);
  enlist(state, transaction, { entity, content, sequence });
  return sequence;
}

/** Settles a message when the transaction commits. */
export function settleIn(
  state: NaiveState,
  transaction: NaiveTransaction,
  receipt: NaiveReceipt,
  how: Settlement,
  changes: NaiveProperties,
): void {
  checkSettlement(state, receipt, how);
  requireOpen(transaction);
  const isSettled = transaction.steps.some(
    (step) => "receipt" in step && step.receipt.message === receipt.message,
  );
  if (isSettled) throw new NaiveRefusal("message-lock-lost");
  enlist(state, transaction, { receipt, how, changes });
}

/** Executes all steps, or none if one is no longer possible. */
export function commit(state: NaiveState, transaction: NaiveTransaction): void {
  requireOpen(transaction);
  transaction.state = "ended";
  for (const step of transaction.steps) {
    if ("entity" in step) {
      if (!state.entities.includes(step.entity)) throw new NaiveRefusal("entity-not-found");
      checkSends(state, step.entity, contentsFor(transaction, step.entity));
    } else if (step.receipt.message.lock !== step.receipt.lock) throw new NaiveRefusal("message-lock-lost");
  }
  for (const step of transaction.steps) {
    if ("receipt" in step) settleMessage(state, step.receipt.message, step.how, step.changes);
    else if (step.sequence !== undefined) {
      if (!isDuplicate(state, step.entity, step.content))
        keepScheduled(state, step.entity, step.content, step.sequence);
    } else if (step.onward === undefined) enter(state, step.entity, step.content);
    else enterVia(state, step.entity, step.onward, step.content);
  }
}

/** The messages that a transaction sends to an entity, all of which have to fit. */
function contentsFor({ steps }: NaiveTransaction, entity: NaiveEntity): NaiveContent[] {
  return steps.flatMap((step) => ("entity" in step && step.entity === entity ? step.content : []));
}

/** Discards all steps. */
export function rollBack(transaction: NaiveTransaction): void {
  requireOpen(transaction);
  transaction.state = "ended";
}

/** All messages to a partitioned entity in one transaction have the same partition key. */
function pin(
  state: NaiveState,
  { keys }: NaiveTransaction,
  entity: NaiveEntity,
  content: NaiveContent,
): void {
  if (!isPartitioned(state, entity)) return;
  const key = keyOf(state, entity, content);
  if (key === undefined || (keys.get(entity) ?? key) !== key) throw new NaiveRefusal("not-allowed");
  keys.set(entity, key);
}

function enlist(state: NaiveState, transaction: NaiveTransaction, step: NaiveStep): void {
  transaction.timer ??= arm(state, state.nowMs + transactionTimeoutMs);
  transaction.steps.push(step);
}

function requireOpen({ state }: NaiveTransaction): void {
  if (state === "timed-out") throw new NaiveRefusal("transaction-timeout");
  if (state === "ended") throw new NaiveRefusal("transaction-not-found");
}
