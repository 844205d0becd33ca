import type { CompiledRule } from "../../src/rules/rule.js";
import { evaluateRules } from "../../src/rules/rule-copies.js";
import { ruleSubject } from "../../src/rules/rule-subject.js";
import {
  available,
  byArrival,
  describeEntity,
  describeStore,
  fresh,
  inOrder,
  inOrderOfPath,
  isSessionful,
  type MessageView,
  type Mode,
  makeEntity,
  type NaiveConsumer,
  type NaiveContent,
  type NaiveEntity,
  type NaiveLane,
  type NaiveMessage,
  type NaiveOptions,
  type NaiveProperties,
  type NaiveReceipt,
  NaiveRefusal,
  type NaiveSession,
  type NaiveSessionLock,
  type NaiveSessionWait,
  type NaiveStep,
  type NaiveStore,
  type NaiveTimer,
  type NaiveTransaction,
  type NaiveWait,
  openSession,
  PARTITION_RANGE,
  partitionOf,
  type Settlement,
  sizeOf,
  type Transit,
  viewOf,
} from "./naive-entity.js";

const SUFFIXES = ["/$Transfer/$DeadLetterQueue", "/$DeadLetterQueue"];
const MAX_HOPS = 4;
const TRANSACTION_TIMEOUT_MS = 120_000;

/**
 * A broker written to be obviously right: plain arrays, linear searches, and no timers but "whatever is due first". The
 * engine has to agree with it on everything that can be observed, after every command.
 */
export class NaiveBroker {
  nowMs: number;
  #entities: NaiveEntity[] = [];
  #waits: NaiveWait[] = [];
  #sessionWaits: NaiveSessionWait[] = [];
  readonly #transactions: NaiveTransaction[] = [];
  readonly #woken: NaiveLane[] = [];
  /** How many completed messages are to be delivered once more, by path. */
  readonly #repeats = new Map<string, number>();
  #armings = 0;

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  createQueue(path: string, options: Partial<NaiveOptions>): void {
    if (this.#find(path) !== undefined) throw new NaiveRefusal("entity-already-exists");
    this.#add(makeEntity("queue", path, undefined, this.#checkForwards(options), []));
  }

  createTopic(path: string, options: Partial<NaiveOptions>): void {
    this.#add(makeEntity("topic", path, undefined, options, []));
  }

  createSubscription(
    topic: string,
    name: string,
    options: Partial<NaiveOptions>,
    rules: CompiledRule[],
  ): void {
    this.#entity(topic).accessedAtMs = this.nowMs;
    const path = `${topic}/Subscriptions/${name}`;
    this.#add(makeEntity("subscription", path, topic, this.#checkForwards(options), rules));
  }

  #add(entity: NaiveEntity): void {
    this.#entities.push(entity);
    this.#use(entity);
    this.#watchIdle(entity);
  }

  /** Changes properties; whoever waits where nobody may receive any more is refused, and what waits moves on. */
  update(path: string, changes: Partial<NaiveOptions>): void {
    const entity = this.#entity(path);
    entity.options = this.#checkForwards({ ...entity.options, ...changes });
    this.#use(entity);
    this.#watchIdle(entity);
    const { status, forwardTo } = entity.options;
    if (status === "Disabled" || status === "ReceiveDisabled") {
      this.#refuseWaits("entity-disabled", (store) => store.entity === entity);
    } else if (forwardTo !== undefined) {
      this.#refuseWaits("not-allowed", (store) => store === entity.main);
    }
    if (forwardTo === undefined) return;
    for (const message of available(entity.main, undefined)) {
      this.#remove(message);
      this.#forward(message, forwardTo);
    }
  }

  deleteEntity(path: string): void {
    this.#removeEntity(this.#entity(path));
  }

  #removeEntity(entity: NaiveEntity): void {
    this.#refuseWaits("entity-not-found", (store) => store.entity === entity);
    for (const { lock } of entity.main.sessions) if (lock !== undefined) lock.isLost = true;
    for (const { messages } of [entity.main, entity.deadLetter, entity.transferDeadLetter]) {
      for (const message of messages) this.#remove(message);
    }
    this.#entities = this.#entities.filter((each) => each !== entity);
  }

  /** Changes a subscription's rules; `change` is asked for them once it is known to be there. */
  changeRules(path: string, change: () => readonly CompiledRule[]): void {
    const entity = this.#entity(path);
    entity.rules = [...change()];
    this.#use(entity);
  }

  /** Removes everything from a store; returns how many messages. */
  purge(path: string): number {
    const { messages } = this.#store(path);
    for (const message of messages) this.#remove(message);
    return messages.length;
  }

  /** Empties every entity and ends all faults. */
  reset(): void {
    for (const entity of this.#entities) {
      const { main, deadLetter, transferDeadLetter } = entity;
      for (const { messages } of [main, deadLetter, transferDeadLetter])
        for (const message of messages) this.#remove(message);
      for (const session of main.sessions) {
        if (session.lock !== undefined) this.#endSession(session.lock);
        session.state = null;
      }
      entity.duplicates = [];
    }
    this.clearFaults();
  }

  // --- faults

  fill(path: string): void {
    this.#entity(path).isFilled = true;
  }

  repeatDeliveries(path: string, count: number): void {
    this.#repeats.set(this.#entity(path).path, count);
  }

  loseLock({ message, lock }: NaiveReceipt): void {
    this.#entity(message.store.entity.path);
    if (lock === undefined || message.lock !== lock) throw new NaiveRefusal("message-lock-lost");
    if (lock.session === undefined) this.#failDelivery(message);
    else this.#sessionDue(lock.session);
  }

  dropLinks(path: string): void {
    const dropped = this.#store(path);
    this.#refuseWaits("link-detached", (store) => store === dropped);
  }

  clearFaults(): void {
    for (const entity of this.#entities) {
      entity.isFilled = false;
      this.#repeats.delete(entity.path);
    }
  }

  /** All locks are gone afterwards without a failed delivery, and nobody waits any more. */
  restart(): void {
    this.#refuseWaits("broker-closed", () => true);
    for (const { main, deadLetter, transferDeadLetter } of this.#entities) {
      for (const session of main.sessions) {
        if (session.lock !== undefined) session.lock.isLost = true;
        session.lock = undefined;
      }
      for (const message of [main, deadLetter, transferDeadLetter].flatMap((store) =>
        inOrder(store.messages),
      )) {
        message.lock = undefined;
        message.timer = undefined;
        if (message.state === "scheduled")
          message.timer = this.#arm(message.content.scheduledAtMs ?? this.nowMs);
        else if (message.state === "active" && message.store.kind === "main") this.#armExpiry(message);
      }
    }
    this.#repeats.clear();
    for (const entity of this.#entities) {
      entity.isFilled = false;
      this.#use(entity);
      this.#watchIdle(entity);
    }
  }

  // --- sending

  send(path: string, contents: readonly NaiveContent[]): void {
    const entity = this.#target(path);
    this.#checkSends(entity, contents);
    for (const content of contents) this.#enter(entity, content);
  }

  /** Sends to `path` by way of a queue, which keeps what cannot be sent on. */
  sendVia(via: string, path: string, contents: readonly NaiveContent[]): void {
    if (this.#entity(via).kind !== "queue") throw new NaiveRefusal("not-allowed");
    const entity = this.#target(via);
    this.#checkSends(entity, contents);
    for (const content of contents) this.#enterVia(entity, path, content);
  }

  schedule(path: string, content: NaiveContent): number {
    const entity = this.#target(path);
    this.#checkSends(entity, [content]);
    if (this.#isDuplicate(entity, content)) return 0;
    return this.#park(entity, content);
  }

  cancelScheduled(path: string, sequence: number): void {
    const { main } = this.#target(path);
    const message = main.messages.find((each) => each.sequence === sequence && each.state === "scheduled");
    if (message === undefined) throw new NaiveRefusal("message-not-found");
    this.#remove(message);
  }

  // --- receiving

  /** Receives what is ready, or waits for the first messages that come; ends with none when the time is up. */
  receive(path: string, count: number, mode: Mode, maxWaitMs: number): NaiveWait {
    return this.#wait(this.#receivable(path, undefined), undefined, count, mode, maxWaitMs);
  }

  receiveFromSession(hold: NaiveSessionLock, count: number, mode: Mode, maxWaitMs: number): NaiveWait {
    if (hold.isLost) throw new NaiveRefusal("session-lock-lost");
    this.#use(hold.session.store.entity);
    checkReceivable(hold.session.store);
    return this.#wait(hold.session.store, hold, count, mode, maxWaitMs);
  }

  #wait(
    store: NaiveStore,
    hold: NaiveSessionLock | undefined,
    count: number,
    mode: Mode,
    maxWaitMs: number,
  ): NaiveWait {
    const ready = this.#take(available(store, hold?.session.id).slice(0, count), mode, hold);
    const result = ready.length > 0 || maxWaitMs === 0 ? ready : undefined;
    const timer =
      result === undefined && Number.isFinite(maxWaitMs) ? this.#arm(this.nowMs + maxWaitMs) : undefined;
    const wait: NaiveWait = { store, hold, count, mode, timer, consumer: undefined, result };
    if (result === undefined) this.#waits.push(wait);
    return wait;
  }

  /** Gives waiting messages to those who wait, in the order in which they came. To be called after every operation. */
  serve(): void {
    this.#serveSessions();
    // The order of lanes shows only where locks end at the same instant.
    for (const lane of this.#woken.splice(0)) this.#serveLane(lane);
  }

  #serveLane({ store, sessionId }: NaiveLane): void {
    for (const wait of this.#waits) {
      if (wait.store !== store || wait.hold?.session.id !== sessionId) continue;
      const messages = available(store, sessionId).slice(0, wait.count);
      if (messages.length === 0) break;
      const receipts = this.#take(messages, wait.mode, wait.hold);
      wait.count -= receipts.length;
      if (wait.consumer === undefined) wait.result = receipts;
      else wait.consumer.inbox.push(...receipts);
    }
    this.#waits = this.#waits.filter(({ result, count }) => result === undefined && count > 0);
  }

  /** Notes that a message is available, for those who wait. */
  #wake({ store, content }: Pick<NaiveMessage, "store" | "content">): void {
    this.#woken.push({ store, sessionId: isSessionful(store) ? content.sessionId : undefined });
  }

  /** Gives sessions to those who wait for one, as soon as a message becomes available. */
  #serveSessions(): void {
    for (const wait of this.#sessionWaits) wait.result = this.#nextSession(wait.store);
    this.#sessionWaits = this.#sessionWaits.filter(({ result }) => result === undefined);
  }

  consume(path: string, mode: Mode): NaiveConsumer {
    const store = this.#receivable(path, undefined);
    return { store, mode, inbox: [], isClosed: false, refusal: undefined };
  }

  grant(consumer: NaiveConsumer, count: number): void {
    if (consumer.isClosed || count === 0) return;
    const { store, mode } = consumer;
    try {
      if (!this.#entities.includes(store.entity)) throw new NaiveRefusal("entity-not-found");
      checkReceivable(store);
    } catch (error) {
      this.closeConsumer(consumer);
      consumer.refusal = error as NaiveRefusal;
      return;
    }
    this.#waits.push({ store, mode, count, consumer, hold: undefined, timer: undefined, result: undefined });
    this.#woken.push({ store, sessionId: undefined });
  }

  /** Takes back the credit that was not used; returns how much. */
  drain(consumer: NaiveConsumer): number {
    const grants = this.#waits.filter((wait) => wait.consumer === consumer);
    this.#waits = this.#waits.filter((wait) => wait.consumer !== consumer);
    return grants.reduce((sum, { count }) => sum + count, 0);
  }

  closeConsumer(consumer: NaiveConsumer): void {
    consumer.isClosed = true;
    this.drain(consumer);
  }

  receiveDeferred(
    path: string,
    sequences: readonly number[],
    mode: Mode,
    hold: NaiveSessionLock | undefined,
  ): NaiveReceipt[] {
    if (hold?.isLost === true) throw new NaiveRefusal("session-lock-lost");
    const store = this.#receivable(path, hold);
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
    return this.#take(messages, mode, hold);
  }

  peek(path: string, fromSequence: number, count: number, sessionId: string | undefined): MessageView[] {
    const store = this.#store(path);
    this.#use(store.entity);
    return inOrder(store.messages)
      .filter((message) => message.sequence >= fromSequence)
      .filter((message) => sessionId === undefined || message.content.sessionId === sessionId)
      .slice(0, count)
      .map((message) => ({ ...viewOf(message), lockedUntilMs: undefined }));
  }

  /** Deletes the oldest waiting messages that were enqueued before an instant; returns how many. */
  deleteMessages(path: string, count: number, beforeMs: number): number {
    const chosen = available(this.#receivable(path, undefined), undefined)
      .filter((message) => message.enqueuedAtMs < beforeMs)
      .slice(0, count);
    for (const message of chosen) this.#remove(message);
    return chosen.length;
  }

  // --- settling

  settle(receipt: NaiveReceipt, how: Settlement, changes: NaiveProperties): void {
    this.#checkSettlement(receipt, how);
    this.#settle(receipt.message, how, changes);
  }

  #checkSettlement(receipt: NaiveReceipt, how: Settlement): void {
    this.#checkLock(receipt);
    const isDead = receipt.message.store.kind !== "main";
    if (how === "deadLetter" && isDead) throw new NaiveRefusal("not-allowed");
  }

  #settle(message: NaiveMessage, how: Settlement, changes: NaiveProperties): void {
    const { path } = message.store.entity;
    const repeats = this.#repeats.get(path) ?? 0;
    if (how !== "complete") message.properties = { ...message.properties, ...changes };
    switch (how) {
      case "complete":
        if (repeats === 0) this.#remove(message);
        else {
          this.#repeats.set(path, repeats - 1);
          this.#failDelivery(message);
        }
        break;
      case "abandon":
        this.#failDelivery(message);
        break;
      case "defer":
        message.lock = undefined;
        message.state = "deferred";
        message.timer = undefined;
        break;
      case "deadLetter":
        this.#deadLetter(message, {});
        break;
    }
  }

  renewLock(receipt: NaiveReceipt): number {
    const { message } = receipt;
    this.#checkLock(receipt);
    if (receipt.lock?.session !== undefined) throw new NaiveRefusal("not-allowed");
    message.timer = this.#arm(this.nowMs + message.store.entity.options.lockDurationMs);
    return message.timer.dueMs;
  }

  // --- transactions

  begin(): NaiveTransaction {
    const transaction: NaiveTransaction = { state: "open", steps: [], timer: undefined };
    this.#transactions.push(transaction);
    return transaction;
  }

  /** Sends to `path`, or by way of it `onward`, when the transaction commits. */
  sendIn(
    transaction: NaiveTransaction,
    path: string,
    onward: string | undefined,
    contents: readonly NaiveContent[],
  ): void {
    const entity = this.#target(path);
    requireOpen(transaction);
    this.#checkSends(entity, contents);
    for (const content of contents) this.#enlist(transaction, { entity, content, onward });
  }

  settleIn(
    transaction: NaiveTransaction,
    receipt: NaiveReceipt,
    how: Settlement,
    changes: NaiveProperties,
  ): void {
    this.#checkSettlement(receipt, how);
    requireOpen(transaction);
    const isSettled = transaction.steps.some(
      (step) => "receipt" in step && step.receipt.message === receipt.message,
    );
    if (isSettled) throw new NaiveRefusal("message-lock-lost");
    this.#enlist(transaction, { receipt, how, changes });
  }

  /** Does all steps, or none if one cannot be done any more. */
  commit(transaction: NaiveTransaction): void {
    requireOpen(transaction);
    transaction.state = "ended";
    for (const step of transaction.steps) {
      if ("entity" in step) {
        if (!this.#entities.includes(step.entity)) throw new NaiveRefusal("entity-not-found");
        this.#checkSends(step.entity, [step.content]);
      } else if (step.receipt.message.lock !== step.receipt.lock) throw new NaiveRefusal("message-lock-lost");
    }
    for (const step of transaction.steps) {
      if ("receipt" in step) this.#settle(step.receipt.message, step.how, step.changes);
      else if (step.onward === undefined) this.#enter(step.entity, step.content);
      else this.#enterVia(step.entity, step.onward, step.content);
    }
  }

  rollBack(transaction: NaiveTransaction): void {
    requireOpen(transaction);
    transaction.state = "ended";
  }

  #enlist(transaction: NaiveTransaction, step: NaiveStep): void {
    transaction.timer ??= this.#arm(this.nowMs + TRANSACTION_TIMEOUT_MS);
    transaction.steps.push(step);
  }

  // --- sessions

  acceptSession(path: string, sessionId: string): NaiveSessionLock {
    const store = this.#store(path);
    if (!isSessionful(store)) throw new NaiveRefusal("not-allowed");
    checkReceivable(store);
    this.#use(store.entity);
    const session = openSession(store, sessionId);
    if (session.lock !== undefined) throw new NaiveRefusal("session-cannot-be-locked");
    return this.#lockSession(session);
  }

  /** Locks the free session with the oldest waiting message, or waits for one; ends with `timeout`. */
  acceptNextSession(path: string, maxWaitMs: number): NaiveSessionWait {
    const store = this.#store(path);
    if (!isSessionful(store)) throw new NaiveRefusal("not-allowed");
    checkReceivable(store);
    this.#use(store.entity);
    const lock = this.#nextSession(store);
    const result = lock ?? (maxWaitMs === 0 ? new NaiveRefusal("timeout") : undefined);
    const timer =
      result === undefined && Number.isFinite(maxWaitMs) ? this.#arm(this.nowMs + maxWaitMs) : undefined;
    const wait: NaiveSessionWait = { store, timer, result };
    if (result === undefined) this.#sessionWaits.push(wait);
    return wait;
  }

  renewSession(hold: NaiveSessionLock): number {
    if (hold.isLost) throw new NaiveRefusal("session-lock-lost");
    hold.timer = this.#arm(this.nowMs + hold.session.store.entity.options.lockDurationMs);
    return hold.timer.dueMs;
  }

  /** Gives a session back: its messages become available again and no delivery is counted. */
  closeSession(hold: NaiveSessionLock): void {
    if (hold.isLost) return;
    for (const message of this.#endSession(hold)) this.#release(message);
  }

  setSessionState(hold: NaiveSessionLock, state: string | null): void {
    if (hold.isLost) throw new NaiveRefusal("session-lock-lost");
    hold.session.state = state;
  }

  getSessionState(hold: NaiveSessionLock): string | null {
    if (hold.isLost) throw new NaiveRefusal("session-lock-lost");
    return hold.session.state;
  }

  // --- observing

  /** Everything in the broker; stores without messages and sessions are left out. */
  snapshot() {
    const stores = this.#entities.flatMap((entity) =>
      entity.kind === "topic" ? [entity.main] : [entity.main, entity.deadLetter, entity.transferDeadLetter],
    );
    return {
      stores: inOrderOfPath(
        stores.map(describeStore).filter(({ messages, sessions }) => messages.length + sessions.length > 0),
      ),
      entities: inOrderOfPath(
        this.#entities.map((entity) => ({ ...describeEntity(entity), sizeInBytes: this.#sizeOf(entity) })),
      ),
    };
  }

  // --- time

  advance(ms: number): void {
    const untilMs = this.nowMs + ms;
    for (;;) {
      const due = this.#due(untilMs);
      if (due === undefined) break;
      this.nowMs = Math.max(this.nowMs, due.timer.dueMs);
      due.fire();
      this.serve();
    }
    this.nowMs = untilMs;
  }

  #due(untilMs: number): { readonly timer: NaiveTimer; readonly fire: () => void } | undefined {
    const all: { timer: NaiveTimer; fire: () => void }[] = [];
    for (const entity of this.#entities) {
      const { main, deadLetter, transferDeadLetter, idleTimer } = entity;
      if (idleTimer !== undefined) all.push({ timer: idleTimer, fire: () => this.#idleDue(entity) });
      for (const message of [...main.messages, ...deadLetter.messages, ...transferDeadLetter.messages]) {
        if (message.timer !== undefined)
          all.push({ timer: message.timer, fire: () => this.#messageDue(message) });
      }
      for (const { lock } of main.sessions) {
        if (lock !== undefined) all.push({ timer: lock.timer, fire: () => this.#sessionDue(lock) });
      }
    }
    for (const wait of this.#waits) {
      if (wait.timer !== undefined) all.push({ timer: wait.timer, fire: () => this.#endWait(wait, []) });
    }
    for (const wait of this.#sessionWaits) {
      if (wait.timer !== undefined)
        all.push({ timer: wait.timer, fire: () => this.#endSessionWait(wait, "timeout") });
    }
    for (const transaction of this.#transactions) {
      const { timer, state } = transaction;
      const fire = () => {
        transaction.state = "timed-out";
      };
      if (timer !== undefined && state === "open") all.push({ timer, fire });
    }
    return all
      .filter(({ timer }) => timer.dueMs <= untilMs)
      .sort((a, b) => a.timer.dueMs - b.timer.dueMs || a.timer.order - b.timer.order)[0];
  }

  #refuseWaits(
    code: string,
    isMeant: (store: NaiveStore, hold: NaiveSessionLock | undefined) => boolean,
  ): void {
    for (const wait of this.#waits.filter(({ store, hold }) => isMeant(store, hold))) {
      if (wait.consumer === undefined) this.#endWait(wait, new NaiveRefusal(code));
      else {
        this.closeConsumer(wait.consumer);
        wait.consumer.refusal = new NaiveRefusal(code);
      }
    }
    for (const wait of this.#sessionWaits.filter(({ store }) => isMeant(store, undefined))) {
      this.#endSessionWait(wait, code);
    }
  }

  #endWait(wait: NaiveWait, result: NaiveWait["result"]): void {
    wait.result = result;
    this.#waits = this.#waits.filter((each) => each !== wait);
  }

  #endSessionWait(wait: NaiveSessionWait, code: string): void {
    wait.result = new NaiveRefusal(code);
    this.#sessionWaits = this.#sessionWaits.filter((each) => each !== wait);
  }

  /** Notes that somebody uses an entity. */
  #use(entity: NaiveEntity): void {
    entity.accessedAtMs = this.nowMs;
  }

  #watchIdle(entity: NaiveEntity): void {
    entity.idleTimer = this.#arm(entity.accessedAtMs + entity.options.autoDeleteOnIdleMs);
  }

  /** Deletes an entity that nobody used for its idle time, unless somebody waits there or something is scheduled. */
  #idleDue(entity: NaiveEntity): void {
    const { main, options } = entity;
    const isInUse =
      main.messages.some(({ state }) => state === "scheduled") ||
      main.sessions.some(({ lock }) => lock !== undefined) ||
      [...this.#waits, ...this.#sessionWaits].some(({ store }) => store === main);
    if (isInUse) this.#use(entity);
    if (entity.accessedAtMs + options.autoDeleteOnIdleMs <= this.nowMs) this.#removeEntity(entity);
    else this.#watchIdle(entity);
  }

  #messageDue(message: NaiveMessage): void {
    if (message.state === "scheduled") {
      this.#remove(message);
      this.#route(message.store.entity, fresh(message.content));
    } else if (message.lock !== undefined) {
      this.#failDelivery(message);
    } else {
      this.#expire(message);
    }
  }

  /** An expired session lock counts as a failed delivery of all messages held under it. */
  #sessionDue(lock: NaiveSessionLock): void {
    for (const message of this.#endSession(lock)) this.#failDelivery(message);
  }

  // --- rules of the house

  /** Checks messages that are sent as one. */
  #checkSends(entity: NaiveEntity, contents: readonly NaiveContent[]): void {
    const { status, requiresSession } = entity.options;
    let pendingBytes = 0;
    for (const content of contents) {
      if (status === "Disabled" || status === "SendDisabled") throw new NaiveRefusal("entity-disabled");
      if (entity.kind === "queue" && requiresSession && content.sessionId === undefined) {
        throw new NaiveRefusal("not-allowed");
      }
      pendingBytes += sizeOf(content);
      if (!this.#hasRoom(entity, pendingBytes)) throw new NaiveRefusal("quota-exceeded");
    }
  }

  /** Whether so many bytes fit into a queue, or into a topic with all that its subscriptions hold. */
  #hasRoom(entity: NaiveEntity, bytes: number): boolean {
    const used = this.#sizeOf(entity);
    return !entity.isFilled && used + bytes <= entity.options.maxSizeInMegabytes * 1024 * 1024;
  }

  #sizeOf(entity: NaiveEntity): number {
    return this.#entities
      .filter((each) => each === entity || each.topic === entity.path)
      .flatMap(({ main, deadLetter, transferDeadLetter }) => [main, deadLetter, transferDeadLetter])
      .flatMap(({ messages }) => messages)
      .reduce((sum, { content }) => sum + sizeOf(content), 0);
  }

  #enterVia(via: NaiveEntity, path: string, content: NaiveContent): void {
    const transit = fresh(content);
    const refusal = this.#handOver(path, transit);
    if (refusal !== undefined)
      this.#keepUntransferred(via, this.#stamp(via, transit), transit.lifeMs, refusal);
  }

  #enter(entity: NaiveEntity, content: NaiveContent): void {
    if (this.#isDuplicate(entity, content)) return;
    if (content.scheduledAtMs !== undefined && content.scheduledAtMs > this.nowMs)
      this.#park(entity, content);
    else this.#route(entity, fresh(content));
  }

  #isDuplicate(entity: NaiveEntity, { messageId, sessionId, partitionKey }: NaiveContent): boolean {
    const { requiresDuplicateDetection, duplicateDetectionHistoryTimeWindowMs, enablePartitioning } =
      entity.options;
    if (!requiresDuplicateDetection) return false;
    const key = JSON.stringify(enablePartitioning ? [messageId, sessionId ?? partitionKey] : [messageId]);
    entity.duplicates = entity.duplicates.filter(({ forgottenAtMs }) => forgottenAtMs > this.nowMs);
    if (entity.duplicates.some((seen) => seen.key === key)) return true;
    entity.duplicates.push({ key, forgottenAtMs: this.nowMs + duplicateDetectionHistoryTimeWindowMs });
    return false;
  }

  #park(entity: NaiveEntity, content: NaiveContent): number {
    const sequence = this.#takeNumber(entity, content);
    const message: NaiveMessage = {
      store: entity.main,
      content,
      sequence,
      enqueuedSequence: sequence,
      enqueuedAtMs: this.nowMs,
      expiresAtMs: Number.POSITIVE_INFINITY,
      hops: 0,
      deadLetterSource: undefined,
      properties: content.properties,
      state: "scheduled",
      deliveryCount: 0,
      lock: undefined,
      timer: this.#arm(content.scheduledAtMs ?? this.nowMs),
    };
    entity.main.messages.push(message);
    return sequence;
  }

  #route(entity: NaiveEntity, transit: Transit): void {
    if (entity.kind !== "topic") {
      this.#arrive(entity, transit);
      return;
    }
    const number = this.#takeNumber(entity, transit.content);
    const lifeMs = Math.min(transit.lifeMs, entity.options.defaultMessageTimeToLiveMs);
    const copy = { ...transit, lifeMs, enqueuedSequence: transit.enqueuedSequence ?? number };
    for (const subscription of this.#entities.filter(({ topic }) => topic === entity.path)) {
      this.#applyRules(subscription, copy);
    }
  }

  #applyRules(subscription: NaiveEntity, transit: Transit): void {
    const { content } = transit;
    const subject = ruleSubject({
      system: {
        MessageId: content.messageId,
        Label: content.subject ?? null,
        SessionId: content.sessionId ?? null,
      },
      application: Object.fromEntries(
        Object.entries(transit.properties).map(([name, value]) => [
          name,
          typeof value === "number" ? BigInt(value) : value,
        ]),
      ),
    });
    const { copies, failures } = evaluateRules(subscription.rules, subject);
    for (const { application } of copies) {
      const properties: Record<string, string | number> = { ...transit.properties };
      for (const [name, value] of application) {
        if (value === undefined) delete properties[name];
        else properties[name] = typeof value === "bigint" ? Number(value) : String(value);
      }
      this.#arrive(subscription, { ...transit, properties });
    }
    const [failure] = failures;
    if (failure !== undefined && subscription.options.deadLetteringOnFilterEvaluationExceptions) {
      const message = this.#stamp(subscription, transit);
      this.#deadLetter(message, { DeadLetterReason: failure.error.exceptionName });
    }
  }

  #stamp(entity: NaiveEntity, transit: Transit): NaiveMessage {
    const { content } = transit;
    const sequence = this.#takeNumber(entity, content);
    const lifeMs = Math.min(transit.lifeMs, entity.options.defaultMessageTimeToLiveMs);
    return {
      store: entity.main,
      content,
      sequence,
      enqueuedSequence: transit.enqueuedSequence ?? sequence,
      enqueuedAtMs: this.nowMs,
      expiresAtMs: this.nowMs + lifeMs,
      hops: transit.hops,
      deadLetterSource: transit.deadLetterSource,
      properties: transit.properties,
      state: "active",
      deliveryCount: 0,
      lock: undefined,
      timer: undefined,
    };
  }

  #arrive(entity: NaiveEntity, transit: Transit): void {
    const message = this.#stamp(entity, transit);
    if (entity.options.forwardTo !== undefined) {
      this.#forward(message, entity.options.forwardTo);
      return;
    }
    if (entity.options.requiresSession && message.content.sessionId === undefined) {
      this.#deadLetter(message, { DeadLetterReason: "Session ID is null" });
      return;
    }
    entity.main.messages.push(message);
    this.#armExpiry(message);
    this.#wake(message);
    this.#serveSessions();
  }

  /** Moves a message on, or keeps it in the transfer dead-letter queue with the reason why that is impossible. */
  #forward(message: NaiveMessage, target: string): void {
    const lifeMs = message.expiresAtMs - message.enqueuedAtMs;
    const refusal = this.#pass(message, target, lifeMs, message.deadLetterSource);
    if (refusal === undefined) return;
    this.#keepUntransferred(message.store.entity, message, lifeMs, refusal);
  }

  #keepUntransferred(entity: NaiveEntity, message: NaiveMessage, lifeMs: number, refusal: string): void {
    const store = entity.transferDeadLetter;
    const kept: NaiveMessage = {
      ...message,
      store,
      enqueuedAtMs: this.nowMs,
      expiresAtMs: this.nowMs + lifeMs,
      deliveryCount: 0,
      properties: { ...message.properties, DeadLetterReason: refusal },
    };
    store.messages.push(kept);
    this.#wake(kept);
  }

  /** Hands a message to another entity; returns why that is impossible. */
  #pass(
    message: NaiveMessage,
    target: string,
    lifeMs: number,
    deadLetterSource: string | undefined,
  ): string | undefined {
    if (message.hops >= MAX_HOPS) return "MaxTransferHopCountExceeded";
    const { content, properties, enqueuedSequence } = message;
    const hops = message.hops + 1;
    return this.#handOver(target, { content, properties, enqueuedSequence, lifeMs, hops, deadLetterSource });
  }

  #handOver(target: string, transit: Transit): string | undefined {
    const entity = this.#find(target);
    if (entity === undefined) return "MessagingEntityNotFound";
    const { status } = entity.options;
    if (status === "Disabled" || status === "SendDisabled") return "MessagingEntityDisabled";
    if (!this.#hasRoom(entity, sizeOf(transit.content))) return "QuotaExceeded";
    if (this.#isDuplicate(entity, transit.content)) return undefined;
    this.#use(entity);
    this.#route(entity, transit);
    return undefined;
  }

  #take(messages: readonly NaiveMessage[], mode: Mode, hold: NaiveSessionLock | undefined): NaiveReceipt[] {
    return messages.map((message) => {
      if (mode === "receiveAndDelete") {
        this.#remove(message);
        return { message, lock: undefined, hold, view: viewOf(message) };
      }
      message.lock = { session: hold };
      message.timer =
        hold === undefined ? this.#arm(this.nowMs + message.store.entity.options.lockDurationMs) : undefined;
      return { message, lock: message.lock, hold, view: viewOf(message) };
    });
  }

  #checkLock({ message, lock, hold }: NaiveReceipt): void {
    if (hold?.isLost === true) throw new NaiveRefusal("session-lock-lost");
    this.#use(this.#entity(message.store.entity.path));
    if (lock === undefined || message.lock !== lock) {
      throw new NaiveRefusal("message-lock-lost");
    }
  }

  /** Counts a failed delivery; the last one allowed dead-letters the message. */
  #failDelivery(message: NaiveMessage): void {
    message.deliveryCount += 1;
    const isLast = message.deliveryCount >= message.store.entity.options.maxDeliveryCount;
    if (isLast && message.store.kind === "main") {
      this.#deadLetter(message, { DeadLetterReason: "MaxDeliveryCountExceeded" });
    } else {
      this.#release(message);
    }
  }

  /** Ends a lock; an active message whose time is over meanwhile expires at once. */
  #release(message: NaiveMessage): void {
    message.lock = undefined;
    message.timer = undefined;
    if (message.state !== "active") return;
    if (message.store.kind !== "main") {
      this.#wake(message);
      return;
    }
    const { forwardTo } = message.store.entity.options;
    if (message.expiresAtMs <= this.nowMs) this.#expire(message);
    else if (forwardTo !== undefined) {
      this.#remove(message);
      this.#forward(message, forwardTo);
    } else {
      this.#armExpiry(message);
      this.#wake(message);
      this.#serveSessions();
    }
  }

  #expire(message: NaiveMessage): void {
    if (message.store.entity.options.deadLetteringOnMessageExpiration) {
      this.#deadLetter(message, { DeadLetterReason: "TTLExpiredException" });
    } else {
      this.#remove(message);
    }
  }

  #deadLetter(message: NaiveMessage, record: NaiveProperties): void {
    const { entity } = message.store;
    this.#remove(message);
    const dead: NaiveMessage = {
      ...message,
      store: entity.deadLetter,
      properties: { ...message.properties, ...record },
      state: "active",
      lock: undefined,
      timer: undefined,
    };
    const target = entity.options.forwardDeadLetteredMessagesTo;
    const isForwarded =
      target !== undefined &&
      this.#pass(dead, target, message.content.timeToLiveMs, entity.path) === undefined;
    if (isForwarded) return;
    entity.deadLetter.messages.push(dead);
    this.#wake(dead);
  }

  #nextSession(store: NaiveStore): NaiveSessionLock | undefined {
    const free = available(store, undefined).find(
      ({ content }) => openSession(store, content.sessionId ?? "").lock === undefined,
    );
    return free && this.#lockSession(openSession(store, free.content.sessionId ?? ""));
  }

  #lockSession(session: NaiveSession): NaiveSessionLock {
    const timer = this.#arm(this.nowMs + session.store.entity.options.lockDurationMs);
    session.lock = { session, isLost: false, timer };
    return session.lock;
  }

  /** Ends a session's lock and returns the messages that were held under it, oldest first. */
  #endSession(lock: NaiveSessionLock): NaiveMessage[] {
    lock.isLost = true;
    lock.session.lock = undefined;
    this.#refuseWaits("session-lock-lost", (_, hold) => hold === lock);
    return byArrival(lock.session.store.messages.filter((message) => message.lock?.session === lock));
  }

  #armExpiry(message: NaiveMessage): void {
    message.timer =
      message.expiresAtMs === Number.POSITIVE_INFINITY ? undefined : this.#arm(message.expiresAtMs);
  }

  #arm(dueMs: number): NaiveTimer {
    this.#armings += 1;
    return { dueMs, order: this.#armings };
  }

  /** The next number, in the partition of the message's key; messages without one take the partitions in turn. */
  #takeNumber(entity: NaiveEntity, { sessionId, partitionKey }: NaiveContent): number {
    const number = entity.nextSequence;
    entity.nextSequence += 1;
    const { enablePartitioning } = (entity.topic === undefined ? entity : this.#entity(entity.topic)).options;
    const key = sessionId ?? partitionKey;
    const partition = key === undefined ? number % 16 : partitionOf(key);
    return enablePartitioning ? partition * PARTITION_RANGE + number : number;
  }

  #remove(message: NaiveMessage): void {
    message.timer = undefined;
    message.lock = undefined;
    message.store.messages = message.store.messages.filter((each) => each !== message);
  }

  #find(path: string): NaiveEntity | undefined {
    return this.#entities.find((each) => each.path === path);
  }

  #entity(path: string): NaiveEntity {
    const entity = this.#find(path);
    if (entity === undefined) throw new NaiveRefusal("entity-not-found");
    return entity;
  }

  /** Refuses targets that are missing; what forwards is never deleted when idle. */
  #checkForwards<Options extends Partial<NaiveOptions>>(options: Options): Options {
    const { forwardTo, forwardDeadLetteredMessagesTo } = options;
    for (const target of [forwardTo, forwardDeadLetteredMessagesTo])
      if (target !== undefined) this.#entity(target);
    return forwardTo === undefined ? options : { ...options, autoDeleteOnIdleMs: Number.POSITIVE_INFINITY };
  }

  /** What somebody sends to. */
  #target(path: string): NaiveEntity {
    const entity = this.#entity(path);
    this.#use(entity);
    return entity;
  }

  /** The store to receive from, with or without a session. */
  #receivable(path: string, hold: NaiveSessionLock | undefined): NaiveStore {
    const store = this.#store(path);
    this.#use(store.entity);
    checkReceivable(store);
    if (isSessionful(store) && hold === undefined) throw new NaiveRefusal("not-allowed");
    return store;
  }

  #store(path: string): NaiveStore {
    const suffix = SUFFIXES.find((each) => path.endsWith(each));
    if (suffix === undefined) return this.#entity(path).main;
    const entity = this.#entity(path.slice(0, -suffix.length));
    return suffix === SUFFIXES[0] ? entity.transferDeadLetter : entity.deadLetter;
  }
}

/** Throws where nobody may receive: a disabled entity, or a queue that moves its messages on by itself. */
function checkReceivable({ entity, kind }: NaiveStore): void {
  const { status, forwardTo } = entity.options;
  if (status === "Disabled" || status === "ReceiveDisabled") throw new NaiveRefusal("entity-disabled");
  if (kind === "main" && forwardTo !== undefined) throw new NaiveRefusal("not-allowed");
}

function requireOpen({ state }: NaiveTransaction): void {
  if (state === "timed-out") throw new NaiveRefusal("transaction-timeout");
  if (state === "ended") throw new NaiveRefusal("transaction-not-found");
}
