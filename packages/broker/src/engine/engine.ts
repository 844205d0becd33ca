import type { EntityHost } from "../entities/base-entity.js";
import { type Entity, EntityRegistry } from "../entities/entity-registry.js";
import type { Lane } from "../entities/lane.js";
import type { SessionLock } from "../entities/session.js";
import { checkTier, type Tier } from "../entities/tier.js";
import type { Topic } from "../entities/topic.js";
import { BrokerError } from "../errors/broker-error.js";
import { type MemoryLimits, MemoryMark, type MemoryUse } from "../memory/memory-mark.js";
import type { BrokerEvent, BrokerEventListener, BrokerEventType } from "../messages/broker-event.js";
import { LockTokens } from "../messages/lock-token.js";
import { MadeIds } from "../messages/made-ids.js";
import type { BrokerMessage, MessageId, WireDecoder } from "../messages/message.js";
import type { MessageContent } from "../messages/message-content.js";
import { type BrokerReceivedMessage, peekedMessage } from "../messages/received-message.js";
import type { StoredMessage } from "../messages/stored-message.js";
import type { Storage } from "../storage/storage.js";
import { type Clock, createSystemClock, isRealTime } from "../timing/clock.js";
import { Timers } from "../timing/timers.js";
import type { BrokerOptions } from "./broker-options.js";
import { InjectedFaults } from "./injected-faults.js";

/** The messages that topics have not copied to all their subscriptions yet, and the work on them. */
export interface PendingFanOuts {
  /** Begins an operation, which may do some of this work itself; all of it if not `isBounded`. */
  beginOperation(isBounded?: boolean): void;
  /** Whether a message must wait: because other messages of its topic wait, or because the operation has reached its limit. */
  mustWait(topic: Topic, content: MessageContent): boolean;
  /** Stores a message in its topic until it can be copied. */
  keep(topic: Topic, message: StoredMessage): void;
  /** Like `keep`, for a message that is already in the storage. */
  enter(topic: Topic, message: StoredMessage): void;
  /** Resolves once the messages of a topic, or of all topics, that wait now have been copied; `undefined` if none wait. */
  whenDone(topic?: Topic): Promise<void> | undefined;
  /** Schedules the next turn, if there is work that can be done. */
  schedule(): void;
  /** Stops the work; waiting messages stay in the storage. */
  stop(): void;
}

/** What the engine does without a request; passed in by the broker, so that the state does not depend on the rules. */
export interface Lifecycle {
  openFanOuts(engine: Engine): PendingFanOuts;
  onMessageDue(engine: Engine, message: StoredMessage, nowMs: number): void;
  onSessionDue(engine: Engine, lock: SessionLock, nowMs: number): void;
  onIdleDue(engine: Engine, entity: Entity, nowMs: number): void;
  serve(engine: Engine, lane: Lane, nowMs: number): void;
  onClockStep(engine: Engine, byMs: number): void;
  onStopped(engine: Engine, failure: BrokerError): void;
  measureMemory(engine: Engine): MemoryUse;
}

type EngineOptions = Pick<BrokerOptions, "clock" | "wireDecoder" | "tier">;

/** The state of one broker, on which the operations work. It makes no decisions itself. */
export class Engine implements EntityHost {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly storage: Storage;
  /** The tier whose limits apply; undefined for none. */
  readonly tier: Tier | undefined;
  readonly entities = new EntityRegistry();
  readonly lockTokens = new LockTokens();
  readonly faults: InjectedFaults;
  readonly fanOuts: PendingFanOuts;
  readonly memory: MemoryMark;
  readonly listeners = new Set<BrokerEventListener>();
  #wireDecoder: WireDecoder | undefined;
  readonly #undecodable = new Set<StoredMessage>();
  readonly #lifecycle: Lifecycle;
  readonly #lanes: Lane[] = [];
  /** The storage's latest commit and the promise made of it: a group of operations shares both. */
  #commit: Promise<void> | undefined;
  #guardedCommit: Promise<void> | undefined;
  readonly #ids = new MadeIds();
  #isServing = false;
  #reportStop!: (reason: BrokerError) => void;
  #failure: BrokerError | undefined;

  constructor(
    { clock = createSystemClock(), wireDecoder, tier }: EngineOptions,
    storage: Storage,
    lifecycle: Lifecycle,
    memory: MemoryLimits,
  ) {
    checkTier(tier);
    this.memory = new MemoryMark(() => this.#lifecycle.measureMemory(this), memory);
    this.tier = tier;
    this.clock = clock;
    const onStep = (byMs: number): void => this.#lifecycle.onClockStep(this, byMs);
    this.timers = new Timers(clock, onStep, () =>
      // With a manual clock, everything due must have happened when `advance` returns.
      this.fanOuts.beginOperation(isRealTime(clock)),
    );
    this.storage = storage;
    this.#wireDecoder = wireDecoder;
    this.#lifecycle = lifecycle;
    this.faults = new InjectedFaults(this.timers);
    this.fanOuts = lifecycle.openFanOuts(this);
  }

  /** Resolves with the reason once the broker is closed or its storage failed. */
  readonly stopped = new Promise<BrokerError>((resolve) => {
    this.#reportStop = resolve;
  });

  /** Whether the broker is closed or its storage failed. */
  get isStopped(): boolean {
    return this.#failure !== undefined;
  }

  get wireDecoder(): WireDecoder | undefined {
    return this.#wireDecoder;
  }

  /** Sets the decoder of messages in a front end's encoding; messages waiting for it become due now. */
  set wireDecoder(decoder: WireDecoder | undefined) {
    this.#wireDecoder = decoder;
    for (const message of this.#undecodable) {
      const { state, dueMs, isLocked, session } = message;
      const isHeld = (state === "active" || state === "scheduled") && dueMs === undefined;
      // A session's lock has its own timer.
      if (isHeld && !(isLocked && session !== undefined)) message.arm(this.timers.nowMs);
    }
    this.#undecodable.clear();
    this.fanOuts.schedule();
  }

  /** Postpones a due message until there is a wire decoder. */
  awaitDecoder(message: StoredMessage): void {
    this.#undecodable.add(message);
  }

  /** Begins an operation: fires due timers and returns the current time. Throws once the broker is closed. */
  begin(): number {
    if (this.#failure !== undefined) throw this.#failure;
    this.fanOuts.beginOperation();
    return this.timers.settleNow();
  }

  /** Marks a lane whose waiters are to be served when the operation ends. */
  wake(lane: Lane): void {
    if (lane.waiters.first !== undefined) this.#lanes.push(lane);
  }

  /** Ends an operation: fires timers that became due, serves waiters and ends the storage's batch. */
  end(nowMs: number): Promise<void> | undefined {
    // What the operation added may be due already, for example a message without time to live.
    this.timers.settle(nowMs);
    if (this.#lanes.length > 0) this.#serve(nowMs);
    return this.#commitBatch();
  }

  /** Resolves once everything so far, including the current operation, is durable. */
  async whenDurable(): Promise<void> {
    // The current operation ends its batch first.
    await null;
    await this.#commitBatch();
  }

  /** The message's own id, or a generated one. */
  messageIdOf(message: BrokerMessage): MessageId {
    return message.messageId ?? this.#ids.next();
  }

  /** Reports an event of a message to the listeners, which may read its content from `content`. */
  emit(
    type: BrokerEventType,
    message: StoredMessage,
    nowMs: number,
    detail?: string,
    content?: StoredMessage,
  ): void {
    if (this.listeners.size > 0) this.#emit(type, message, nowMs, detail, content);
  }

  /** Reports an event of an entity or session to the listeners. */
  emitEntity(
    type: BrokerEventType,
    entity: string,
    nowMs: number,
    sessionId?: string,
    detail?: string,
  ): void {
    if (this.listeners.size === 0) return;
    const ofMessage = { sequenceNumber: undefined, messageId: undefined };
    this.#notify({ type, entity, at: new Date(nowMs), ...ofMessage, sessionId, detail });
  }

  onMessageDue(message: StoredMessage, nowMs: number): void {
    this.#lifecycle.onMessageDue(this, message, nowMs);
    this.end(nowMs);
  }

  onSessionDue(lock: SessionLock, nowMs: number): void {
    this.#lifecycle.onSessionDue(this, lock, nowMs);
    this.end(nowMs);
  }

  onIdleDue(entity: Entity, nowMs: number): void {
    this.#lifecycle.onIdleDue(this, entity, nowMs);
    this.end(nowMs);
  }

  /** Rejects all further and all pending operations. */
  stop(failure: BrokerError): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    this.#reportStop(failure);
    this.timers.close();
    this.fanOuts.stop();
    this.memory.close();
    this.#lifecycle.onStopped(this, failure);
  }

  #commitBatch(): Promise<void> | undefined {
    if (this.storage.isVolatile) return undefined;
    const commit = this.storage.commit();
    if (commit !== this.#commit) {
      this.#commit = commit;
      this.#guardedCommit = commit?.catch((cause: unknown) => this.#fail(cause));
      // Nothing awaits work without a request; its failure is reported by the next operation.
      this.#guardedCommit?.catch(() => {});
    }
    return this.#guardedCommit;
  }

  #serve(nowMs: number): void {
    // Serving a lane may wake others; the loop below reaches them, because it reads the list while it grows.
    if (this.#isServing) return;
    this.#isServing = true;
    try {
      for (const lane of this.#lanes) this.#lifecycle.serve(this, lane, nowMs);
    } finally {
      this.#lanes.length = 0;
      this.#isServing = false;
    }
  }

  #fail(cause: unknown): never {
    const reason = cause instanceof Error ? `: ${cause.message.replace(/\.$/, "")}` : "";
    const text = `The broker stopped because its storage failed to commit${reason}.`;
    const failure = new BrokerError("storage-failed", text, { cause });
    this.stop(failure);
    throw failure;
  }

  #emit(
    type: BrokerEventType,
    message: StoredMessage,
    nowMs: number,
    detail: string | undefined,
    content: StoredMessage = message,
  ): void {
    const { sequence, store } = message;
    const { messageId, sessionId } = message.content;
    const [at, sequenceNumber] = [new Date(nowMs), BigInt(sequence)];
    const event = { type, entity: store.path, at, sequenceNumber, messageId, sessionId, detail };
    this.#notify(event, () => peekedMessage(content));
  }

  #notify(event: BrokerEvent, message?: () => BrokerReceivedMessage): void {
    for (const listener of this.listeners) listener(event, message);
  }
}
