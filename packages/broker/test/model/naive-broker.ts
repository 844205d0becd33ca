import type { CompiledRule } from "../../src/rules/rule.js";
import { addEntity, checkForwards, removeEntity, restart, updateEntity } from "./naive-entities.js";
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
  type NaiveSessionWait,
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
import {
  checkLock,
  checkSettlement,
  commit,
  rollBack,
  scheduleIn,
  sendIn,
  settleIn,
  settleMessage,
} from "./naive-settling.js";
import {
  arm,
  checkBusy,
  checkReceivable,
  createState,
  entityAt,
  findEntity,
  hasRoom,
  type NaiveState,
  receivableAt,
  remove,
  storeAt,
  targetAt,
  use,
} from "./naive-state.js";
import { advance, sessionDue } from "./naive-timers.js";
import { describeAll, viewOf } from "./naive-view.js";
import {
  acceptNextSession,
  acceptSession,
  closeConsumer,
  drain,
  endSession,
  findDeferred,
  grant,
  handOut,
  refuseWaits,
  serve,
  waitForMessages,
} from "./naive-waits.js";

/**
 * A broker that is written to be obviously correct: plain arrays, linear searches, and no timers except a search for the next due event. The
 * engine has to agree with it on everything observable, after every command.
 */
export class NaiveBroker {
  readonly #state: NaiveState;

  constructor(nowMs: number) {
    this.#state = createState(nowMs);
  }

  get nowMs(): number {
    return this.#state.nowMs;
  }

  createQueue(path: string, options: Partial<NaiveOptions>): void {
    if (findEntity(this.#state, path) !== undefined) throw new NaiveRefusal("entity-already-exists");
    addEntity(this.#state, makeEntity("queue", path, undefined, checkForwards(this.#state, options), []));
  }

  createTopic(path: string, options: Partial<NaiveOptions>): void {
    addEntity(this.#state, makeEntity("topic", path, undefined, options, []));
  }

  createSubscription(
    topic: string,
    name: string,
    options: Partial<NaiveOptions>,
    rules: CompiledRule[],
  ): void {
    entityAt(this.#state, topic).accessedAtMs = this.#state.nowMs;
    const path = `${topic}/Subscriptions/${name}`;
    addEntity(
      this.#state,
      makeEntity("subscription", path, topic, checkForwards(this.#state, options), rules),
    );
  }

  /** Changes properties; pending receivers are refused if receiving is no longer allowed, and waiting messages are forwarded. */
  update(path: string, changes: Partial<NaiveOptions>): void {
    updateEntity(this.#state, path, changes);
  }

  deleteEntity(path: string): void {
    removeEntity(this.#state, entityAt(this.#state, path));
  }

  /** Changes a subscription's rules; `change` is called after checking that the subscription exists. */
  changeRules(path: string, change: () => readonly CompiledRule[]): void {
    const entity = entityAt(this.#state, path);
    entity.rules = [...change()];
    use(this.#state, entity);
  }

  /** Removes everything from a store; returns the number of messages. */
  purge(path: string): number {
    const { messages } = storeAt(this.#state, path);
    for (const message of messages) remove(message);
    return messages.length;
  }

  /** Empties every entity and ends all faults. */
  reset(): void {
    for (const entity of this.#state.entities) {
      const { main, deadLetter, transferDeadLetter } = entity;
      for (const { messages } of [main, deadLetter, transferDeadLetter])
        for (const message of messages) remove(message);
      for (const session of main.sessions) {
        if (session.lock !== undefined) endSession(this.#state, session.lock);
        session.state = null;
      }
      entity.duplicates = [];
    }
    this.clearFaults();
  }

  // --- faults

  fill(path: string): void {
    entityAt(this.#state, path).isFilled = true;
  }

  repeatDeliveries(path: string, count: number): void {
    this.#state.repeats.set(entityAt(this.#state, path).path, count);
  }

  throttle(path: string, count: number): void {
    this.#state.throttled.set(storeAt(this.#state, path).entity.path, count);
  }

  loseLock({ message, lock }: NaiveReceipt): void {
    entityAt(this.#state, message.store.entity.path);
    if (lock === undefined || message.lock !== lock) throw new NaiveRefusal("message-lock-lost");
    if (lock.session === undefined) failDelivery(this.#state, message);
    else sessionDue(this.#state, lock.session);
  }

  dropLinks(path: string): void {
    const dropped = storeAt(this.#state, path);
    refuseWaits(this.#state, "link-detached", (store) => store === dropped);
  }

  clearFaults(): void {
    for (const entity of this.#state.entities) {
      entity.isFilled = false;
      this.#state.repeats.delete(entity.path);
      this.#state.throttled.delete(entity.path);
    }
  }

  /** Afterwards there are no locks, without a failed delivery, and no pending calls. */
  restart(): void {
    restart(this.#state);
  }

  // --- sending

  send(path: string, contents: readonly NaiveContent[]): void {
    const entity = targetAt(this.#state, path);
    checkBatch(entity, contents);
    checkSends(this.#state, entity, contents);
    for (const content of contents) enter(this.#state, entity, content);
  }

  /** Sends to `path` via a queue, which keeps messages that cannot be transferred. */
  sendVia(via: string, path: string, contents: readonly NaiveContent[]): void {
    const entity = targetAt(this.#state, via);
    checkSends(this.#state, entity, contents);
    for (const content of contents) enterVia(this.#state, entity, path, content);
  }

  schedule(path: string, content: NaiveContent): number {
    const entity = targetAt(this.#state, path);
    checkSends(this.#state, entity, [content]);
    if (isDuplicate(this.#state, entity, content)) return 0;
    return keepScheduled(this.#state, entity, content);
  }

  cancelScheduled(path: string, sequence: number): void {
    const { main } = targetAt(this.#state, path);
    const message = main.messages.find((each) => each.sequence === sequence && each.state === "scheduled");
    if (message === undefined) throw new NaiveRefusal("message-not-found");
    remove(message);
  }

  // --- receiving

  /** Receives available messages, or waits for the first ones; ends with none after the maximum wait time. */
  receive(path: string, count: number, mode: Mode, maxWaitMs: number): NaiveWait {
    return waitForMessages(
      this.#state,
      receivableAt(this.#state, path, undefined),
      undefined,
      count,
      mode,
      maxWaitMs,
    );
  }

  receiveFromSession(hold: NaiveSessionLock, count: number, mode: Mode, maxWaitMs: number): NaiveWait {
    checkBusy(this.#state, hold.session.store.entity.path);
    if (hold.isLost) throw new NaiveRefusal("session-lock-lost");
    use(this.#state, hold.session.store.entity);
    checkReceivable(hold.session.store);
    if (mode === "receiveAndDelete") this.renewSession(hold);
    return waitForMessages(this.#state, hold.session.store, hold, count, mode, maxWaitMs);
  }

  /** Delivers waiting messages to pending receivers in the order of their calls. Must be called after every operation. */
  serve(): void {
    serve(this.#state);
  }

  consume(path: string, mode: Mode): NaiveConsumer {
    const store = receivableAt(this.#state, path, undefined);
    return { store, mode, inbox: [], isClosed: false, refusal: undefined };
  }

  grant(consumer: NaiveConsumer, count: number): void {
    grant(this.#state, consumer, count);
  }

  /** Removes unused credit; returns how much. */
  drain(consumer: NaiveConsumer): number {
    return drain(this.#state, consumer);
  }

  closeConsumer(consumer: NaiveConsumer): void {
    closeConsumer(this.#state, consumer);
  }

  receiveDeferred(
    path: string,
    sequences: readonly number[],
    mode: Mode,
    hold: NaiveSessionLock | undefined,
  ): NaiveReceipt[] {
    return handOut(this.#state, findDeferred(this.#state, path, sequences, hold), mode, hold);
  }

  peek(path: string, fromSequence: number, count: number, sessionId: string | undefined): MessageView[] {
    const store = storeAt(this.#state, path);
    checkBusy(this.#state, store.entity.path);
    use(this.#state, store.entity);
    return inOrder(store.messages)
      .filter((message) => message.sequence >= fromSequence)
      .filter((message) => sessionId === undefined || message.content.sessionId === sessionId)
      .slice(0, count)
      .map((message) => ({ ...viewOf(message), lockedUntilMs: undefined }));
  }

  /** Deletes the oldest waiting messages that were enqueued before a time; returns how many. */
  deleteMessages(path: string, count: number, beforeMs: number): number {
    const chosen = available(receivableAt(this.#state, path, undefined), undefined)
      .filter((message) => message.enqueuedAtMs < beforeMs)
      .slice(0, count);
    for (const message of chosen) remove(message);
    return chosen.length;
  }

  // --- settling

  settle(receipt: NaiveReceipt, how: Settlement, changes: NaiveProperties): void {
    checkSettlement(this.#state, receipt, how);
    settleMessage(this.#state, receipt.message, how, changes);
  }

  renewLock(receipt: NaiveReceipt): number {
    const { message } = receipt;
    checkLock(this.#state, receipt);
    if (receipt.lock?.session !== undefined) throw new NaiveRefusal("not-allowed");
    message.timer = arm(this.#state, this.#state.nowMs + message.store.entity.options.lockDurationMs);
    return message.timer.dueMs;
  }

  // --- transactions

  begin(): NaiveTransaction {
    const transaction: NaiveTransaction = { state: "open", steps: [], keys: new Map(), timer: undefined };
    this.#state.transactions.push(transaction);
    return transaction;
  }

  /** Sends to `path`, or via it to `onward`, when the transaction commits. */
  sendIn(
    transaction: NaiveTransaction,
    path: string,
    onward: string | undefined,
    contents: readonly NaiveContent[],
  ): void {
    sendIn(this.#state, transaction, path, onward, contents);
  }

  /** Schedules a message when the transaction commits; its sequence number is assigned at once. */
  scheduleIn(transaction: NaiveTransaction, path: string, content: NaiveContent): number {
    return scheduleIn(this.#state, transaction, path, content);
  }

  settleIn(
    transaction: NaiveTransaction,
    receipt: NaiveReceipt,
    how: Settlement,
    changes: NaiveProperties,
  ): void {
    settleIn(this.#state, transaction, receipt, how, changes);
  }

  /** Executes all steps, or none if one is no longer possible. */
  commit(transaction: NaiveTransaction): void {
    commit(this.#state, transaction);
  }

  rollBack(transaction: NaiveTransaction): void {
    rollBack(transaction);
  }

  // --- sessions

  acceptSession(path: string, sessionId: string): NaiveSessionLock {
    return acceptSession(this.#state, path, sessionId);
  }

  /** Locks the unlocked session with the oldest waiting message, or waits for one; ends with `timeout`. */
  acceptNextSession(path: string, maxWaitMs: number): NaiveSessionWait {
    return acceptNextSession(this.#state, path, maxWaitMs);
  }

  renewSession(hold: NaiveSessionLock): number {
    if (hold.isLost) throw new NaiveRefusal("session-lock-lost");
    hold.timer = arm(this.#state, this.#state.nowMs + hold.session.store.entity.options.lockDurationMs);
    return hold.timer.dueMs;
  }

  /** Releases a session: its messages become available again and no delivery is counted. */
  closeSession(hold: NaiveSessionLock): void {
    if (hold.isLost) return;
    for (const message of endSession(this.#state, hold)) release(this.#state, message);
  }

  setSessionState(hold: NaiveSessionLock, state: string | null): void {
    if (hold.isLost) throw new NaiveRefusal("session-lock-lost");
    const { session } = hold;
    const growth = (state?.length ?? 0) - (session.state?.length ?? 0);
    const { entity } = session.store;
    const owner = entity.topic === undefined ? entity : entityAt(this.#state, entity.topic);
    if (growth > 0 && !hasRoom(this.#state, owner, growth)) throw new NaiveRefusal("quota-exceeded");
    session.state = state;
  }

  getSessionState(hold: NaiveSessionLock): string | null {
    if (hold.isLost) throw new NaiveRefusal("session-lock-lost");
    return hold.session.state;
  }

  // --- observing

  /** Everything in the broker, except stores without messages and sessions. */
  snapshot() {
    return describeAll(this.#state);
  }

  // --- time

  advance(ms: number): void {
    advance(this.#state, ms);
  }
}
