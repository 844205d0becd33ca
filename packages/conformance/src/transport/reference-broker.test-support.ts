import { randomUUID } from "node:crypto";
import { type EncodedMessage, type ErrorCode, WaybillError } from "@waybill/core";
import type {
  DeliveredMessage,
  ReceiveMode,
  SettlementHandle,
  SubscriptionRule,
} from "@waybill/core/transport";
import type { EntitySetting } from "./transport-subject.js";

/** A message in a lane. */
export interface Stored {
  readonly sequenceNumber: bigint;
  readonly message: EncodedMessage;
  readonly enqueuedMs: number;
  properties: Record<string, unknown>;
  state: "active" | "deferred" | "scheduled";
  /** Whether it was scheduled until its time came. */
  wasScheduled: boolean;
  deliveryCount: number;
  lock: { readonly token: string; untilMs: number; readonly session: HeldSession | undefined } | undefined;
  deadLetterReason?: string | undefined;
  deadLetterErrorDescription?: string | undefined;
  deadLetterSource?: string | undefined;
}

/** A session and who holds it. */
export interface HeldSession {
  readonly id: string;
  untilMs: number;
  isHeld: boolean;
}

interface Waiter {
  readonly dueMs: number;
  /** Tries to finish the wait; `isDue` says that the time is up. */
  poll(isDue: boolean): boolean;
}

/** How often a message may be forwarded. Source: "Chaining Service Bus entities with autoforwarding". */
const hopLimit = 4;

/** A broker of a few arrays on a clock that stands still until it is advanced. */
export class ReferenceBroker {
  readonly lanes = new Map<string, Lane>();
  readonly topics = new Map<string, string[]>();
  readonly waiters = new Set<Waiter>();
  nowMs = Date.parse("2026-11-05T12:00:00Z");
  #numbers = 0n;
  #names = 0;

  async createQueue(setting: EntitySetting): Promise<string> {
    const name = `queue-${++this.#names}`;
    this.#addLane(name, setting);
    return name;
  }

  async createTopic(subscriptions: readonly string[], setting: EntitySetting): Promise<string> {
    const topic = `topic-${++this.#names}`;
    const paths = subscriptions.map((name) => `${topic}/Subscriptions/${name}`);
    for (const path of paths) this.#addLane(path, setting);
    this.topics.set(topic, paths);
    return topic;
  }

  /** Moves the clock from one instant at which something is due to the next. */
  async advance(durationMs: number): Promise<void> {
    const targetMs = this.nowMs + durationMs;
    for (;;) {
      const dues = [...this.waiters].map(({ dueMs }) => dueMs);
      for (const lane of this.lanes.values()) dues.push(...lane.dueTimes());
      this.nowMs = Math.min(targetMs, ...dues.filter((dueMs) => dueMs > this.nowMs));
      this.pump();
      await new Promise((resolve) => setImmediate(resolve));
      if (this.nowMs === targetMs) return;
    }
  }

  now(): Date {
    return new Date(this.nowMs);
  }

  nextNumber(): bigint {
    this.#numbers += 1n;
    return this.#numbers;
  }

  lane(path: string): Lane {
    const lane = this.lanes.get(path);
    if (lane === undefined) throw failure("entity-not-found", "There is no such entity.", path);
    return lane;
  }

  /** Waits until `attempt` returns something, or the time is up and `attempt` is asked for the last time. */
  wait<T>(attempt: (isDue: boolean) => T | undefined, maxWaitMs: number, signal: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.waiters.delete(waiter);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        dueMs: this.nowMs + maxWaitMs,
        poll: (isDue) => {
          try {
            const result = attempt(isDue);
            if (result === undefined) return false;
            resolve(result);
          } catch (error) {
            reject(error);
          }
          signal.removeEventListener("abort", abort);
          return true;
        },
      };
      if (signal.aborted) return abort();
      if (waiter.poll(maxWaitMs <= 0)) return;
      signal.addEventListener("abort", abort, { once: true });
      this.waiters.add(waiter);
    });
  }

  pump(): void {
    for (const lane of this.lanes.values()) lane.sweep();
    for (const waiter of [...this.waiters])
      if (this.waiters.has(waiter) && waiter.poll(waiter.dueMs <= this.nowMs)) this.waiters.delete(waiter);
  }

  #addLane(path: string, setting: EntitySetting): void {
    const { lockDurationMs, maxDeliveryCount } = setting;
    const plain = { lockDurationMs, maxDeliveryCount, requiresSession: false };
    const deadLetter = new Lane(this, `${path}/$DeadLetterQueue`, plain, undefined);
    const transfer = new Lane(this, `${path}/$Transfer/$DeadLetterQueue`, plain, undefined);
    for (const lane of [new Lane(this, path, setting, deadLetter), deadLetter, transfer])
      this.lanes.set(lane.path, lane);
  }
}

/** One queue, subscription or sub-queue. */
export class Lane {
  readonly broker: ReferenceBroker;
  readonly path: string;
  readonly setting: EntitySetting;
  readonly deadLetter: Lane | undefined;
  readonly sessions = new Map<string, HeldSession>();
  readonly states = new Map<string, { readonly bytes: Uint8Array; readonly setAt: Date }>();
  readonly rules = new Map<string, SubscriptionRule>([
    ["$Default", { name: "$Default", filter: { sqlExpression: "1 = 1" } }],
  ]);
  messages: Stored[] = [];

  constructor(broker: ReferenceBroker, path: string, setting: EntitySetting, deadLetter: Lane | undefined) {
    this.broker = broker;
    this.path = path;
    this.setting = setting;
    this.deadLetter = deadLetter;
  }

  /** Adds a message that was forwarded `hops` times, here or where this passes its messages on. */
  add(message: EncodedMessage, hops = 0): bigint {
    const { forwardTo } = this.setting;
    if (forwardTo !== undefined && hops < hopLimit) return this.broker.lane(forwardTo).add(message, hops + 1);
    if (forwardTo !== undefined)
      return this.broker.lane(`${this.path}/$Transfer/$DeadLetterQueue`).add(message);
    const { scheduledEnqueueTimeUtc, applicationProperties = {} } = message;
    const sequenceNumber = this.broker.nextNumber();
    this.messages.push({
      sequenceNumber,
      message: structuredClone({ ...message, messageId: message.messageId ?? randomUUID() }),
      enqueuedMs: this.broker.nowMs,
      properties: structuredClone({ ...applicationProperties }),
      state: (scheduledEnqueueTimeUtc?.getTime() ?? 0) > this.broker.nowMs ? "scheduled" : "active",
      wasScheduled: false,
      deliveryCount: 0,
      lock: undefined,
    });
    return sequenceNumber;
  }

  dueTimes(): number[] {
    return this.messages.flatMap(({ lock, state, message }) => [
      ...(lock === undefined ? [] : [lock.session?.untilMs ?? lock.untilMs]),
      ...(state === "scheduled" ? [message.scheduledEnqueueTimeUtc!.getTime()] : []),
    ]);
  }

  /** Does everything that is due. */
  sweep(): void {
    const { nowMs } = this.broker;
    for (const session of this.sessions.values()) if (session.untilMs <= nowMs) session.isHeld = false;
    for (const stored of [...this.messages]) {
      const { lock, message } = stored;
      if (stored.state === "scheduled" && message.scheduledEnqueueTimeUtc!.getTime() <= nowMs) {
        stored.state = "active";
        stored.wasScheduled = true;
      }
      if (lock !== undefined && (lock.session?.untilMs ?? lock.untilMs) <= nowMs) this.release(stored);
      else if (lock === undefined && stored.enqueuedMs + (message.timeToLive ?? Infinity) <= nowMs)
        this.remove(stored);
    }
  }

  /** Ends a delivery without success. */
  release(stored: Stored): void {
    stored.lock = undefined;
    // Dead-letter queues count nothing.
    if (this.deadLetter === undefined) return;
    stored.deliveryCount++;
    if (stored.deliveryCount >= this.setting.maxDeliveryCount)
      this.moveToDeadLetter(stored, "MaxDeliveryCountExceeded", undefined);
  }

  remove(stored: Stored): void {
    this.messages = this.messages.filter((one) => one !== stored);
  }

  moveToDeadLetter(stored: Stored, reason: string | undefined, description: string | undefined): void {
    this.remove(stored);
    const { forwardDeadLetteredMessagesTo: forwardTo } = this.setting;
    const target = forwardTo === undefined ? this.deadLetter : this.broker.lane(forwardTo);
    target?.messages.push({
      ...stored,
      ...(forwardTo === undefined ? {} : { deadLetterSource: this.path }),
      state: "active",
      wasScheduled: false,
      lock: undefined,
      deliveryCount: 0,
      deadLetterReason: reason,
      deadLetterErrorDescription: description,
    });
  }

  take(maxMessages: number, mode: ReceiveMode, session: HeldSession | undefined): DeliveredMessage[] {
    return this.messages
      .filter(({ state, lock, message }) => {
        const isOfSession = session === undefined || message.sessionId === session.id;
        return state === "active" && lock === undefined && isOfSession;
      })
      .slice(0, maxMessages)
      .map((stored) => this.deliver(stored, mode, session));
  }

  deliver(stored: Stored, mode: ReceiveMode, session: HeldSession | undefined): DeliveredMessage {
    const state = stored.wasScheduled && stored.state === "active" ? "scheduled" : stored.state;
    if (mode === "receiveAndDelete") {
      this.remove(stored);
      return { ...toDelivered(stored), state };
    }
    const lock = { token: randomUUID(), untilMs: this.broker.nowMs + this.setting.lockDurationMs, session };
    stored.lock = lock;
    return {
      ...toDelivered(stored),
      state,
      lockToken: lock.token,
      lockedUntilUtc: new Date(lock.untilMs),
      settlement: { token: lock.token },
    };
  }

  locked(handle: SettlementHandle, session: HeldSession | undefined): Stored {
    if (session !== undefined && !session.isHeld)
      throw failure("session-lock-lost", "The session belongs to nobody or to another.", this.path);
    const stored = this.messages.find(({ lock }) => lock?.token === (handle as { token: string }).token);
    if (stored === undefined) throw failure("message-lock-lost", "The lock is gone.", this.path);
    return stored;
  }

  hold(id: string): HeldSession {
    const session = { id, untilMs: this.broker.nowMs + this.setting.lockDurationMs, isHeld: true };
    this.sessions.set(id, session);
    return session;
  }

  isHeld(id: string): boolean {
    return this.sessions.get(id)?.isHeld === true;
  }
}

/** A message as receivers see it, without lock. */
export function toDelivered(stored: Stored): DeliveredMessage {
  const { message, properties, enqueuedMs, wasScheduled: _, lock: __, ...assigned } = stored;
  const timeToLive = message.timeToLive;
  return {
    ...structuredClone(message),
    ...assigned,
    applicationProperties: structuredClone(properties) as DeliveredMessage["applicationProperties"],
    enqueuedTimeUtc: new Date(enqueuedMs),
    expiresAtUtc: timeToLive === undefined ? undefined : new Date(enqueuedMs + timeToLive),
  };
}

/** An error of the reference. */
export function failure(code: ErrorCode, text: string, entityPath?: string): WaybillError {
  return new WaybillError(code, text, entityPath === undefined ? {} : { entityPath });
}

/** The message of a number in a state; throws `message-not-found`. */
export function findStored(lane: Lane, sequenceNumber: bigint, state: Stored["state"]): Stored {
  const stored = lane.messages.find(
    (one) => one.sequenceNumber === sequenceNumber && one.state === state && one.lock === undefined,
  );
  if (stored === undefined)
    throw failure("message-not-found", `No ${state} message has the number.`, lane.path);
  return stored;
}
