import { Faults } from "../client/faults.js";
import type { Entity, EntityRegistry } from "../entities/entity-registry.js";
import type { Lane } from "../entities/lane.js";
import type { SessionLock } from "../entities/session.js";
import { checkTier, type Tier } from "../entities/tier.js";
import { BrokerError } from "../errors/broker-error.js";
import { FanOuts } from "../lifecycle/fan-outs.js";
import type { BrokerEventListener, BrokerEventType } from "../messages/broker-event.js";
import { LockTokens } from "../messages/lock-token.js";
import { MadeIds } from "../messages/made-ids.js";
import type { BrokerMessage, MessageId, WireDecoder } from "../messages/message.js";
import type { StoredMessage } from "../messages/stored-message.js";
import type { Storage } from "../storage/storage.js";
import { type Clock, goesByItself } from "../timing/clock.js";
import { Timers } from "../timing/timers.js";
import { type MemoryLimits, MemoryMark, type MemoryUse } from "./memory-mark.js";

/** What the engine does unasked; given by the broker, so that the state does not depend on the rules. */
export interface Lifecycle {
  onMessageDue(engine: Engine, message: StoredMessage, nowMs: number): void;
  onSessionDue(engine: Engine, lock: SessionLock, nowMs: number): void;
  onIdleDue(engine: Engine, entity: Entity, nowMs: number): void;
  serve(engine: Engine, lane: Lane, nowMs: number): void;
  onClockStep(engine: Engine, byMs: number): void;
  onStopped(engine: Engine, failure: BrokerError): void;
  measureMemory(engine: Engine): MemoryUse;
}

/** The state of one broker, on which the operations work. It decides nothing itself. */
export class Engine {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly storage: Storage;
  /** By what the service offers in it, the broker is limited; undefined for not at all. */
  readonly tier: Tier | undefined;
  readonly entities: EntityRegistry;
  readonly lockTokens = new LockTokens();
  readonly faults: Faults = new Faults(this);
  readonly fanOuts: FanOuts = new FanOuts(this);
  readonly memory: MemoryMark;
  readonly listeners = new Set<BrokerEventListener>();
  #wireDecoder: WireDecoder | undefined;
  readonly #undecodable = new Set<StoredMessage>();
  readonly #lifecycle: Lifecycle;
  readonly #lanes: Lane[] = [];
  /** The storage's last promise and the one made of it: a group of operations shares both. */
  #commit: Promise<void> | undefined;
  #guardedCommit: Promise<void> | undefined;
  readonly #ids = new MadeIds();
  #isServing = false;
  #failure: BrokerError | undefined;

  constructor(
    clock: Clock,
    storage: Storage,
    entities: EntityRegistry,
    lifecycle: Lifecycle,
    wireDecoder: WireDecoder | undefined,
    tier: Tier | undefined,
    memory: MemoryLimits,
  ) {
    checkTier(tier);
    this.memory = new MemoryMark(() => this.#lifecycle.measureMemory(this), memory);
    this.tier = tier;
    this.clock = clock;
    const onStep = (byMs: number): void => this.#lifecycle.onClockStep(this, byMs);
    this.timers = new Timers(clock, onStep, () =>
      // Who moves a clock by hand expects everything to have happened.
      this.fanOuts.beginOperation(goesByItself(clock)),
    );
    this.storage = storage;
    this.entities = entities;
    this.#wireDecoder = wireDecoder;
    this.#lifecycle = lifecycle;
  }

  /** Whether the broker is closed or its storage failed. */
  get isStopped(): boolean {
    return this.#failure !== undefined;
  }

  get wireDecoder(): WireDecoder | undefined {
    return this.#wireDecoder;
  }

  /** Sets how messages in a front end's encoding are read; those that waited for it are due now. */
  set wireDecoder(decoder: WireDecoder | undefined) {
    this.#wireDecoder = decoder;
    for (const message of this.#undecodable) {
      const { state, timerSlot, isLocked, session } = message;
      const isHeld = (state === "active" || state === "scheduled") && timerSlot < 0;
      // The lock of a session has a timer of its own.
      if (isHeld && !(isLocked && session !== undefined)) this.timers.arm(message, this.timers.nowMs);
    }
    this.#undecodable.clear();
    this.fanOuts.schedule();
  }

  /** Keeps a message that is due where it is until there is a wire decoder. */
  awaitDecoder(message: StoredMessage): void {
    this.#undecodable.add(message);
  }

  /** Begins an operation: fires what is due and returns the present instant. Throws once the broker is closed. */
  begin(): number {
    if (this.#failure !== undefined) throw this.#failure;
    this.fanOuts.beginOperation();
    return this.timers.settleNow();
  }

  /** Notes that a lane has messages for its waiters; they are served when the operation ends. */
  wake(lane: Lane): void {
    if (lane.waiters.first !== undefined) this.#lanes.push(lane);
  }

  /** Ends an operation: fires what it made due at once, serves waiters and ends the storage's batch. */
  end(nowMs: number): Promise<void> | undefined {
    this.timers.settle(nowMs);
    if (this.#lanes.length > 0) this.#serve(nowMs);
    return this.#commitBatch();
  }

  /** Resolves once everything done so far, the operation in progress included, is durable. */
  async whenDurable(): Promise<void> {
    await null;
    await this.#commitBatch();
  }

  /** A message's own id, or one made up for a message that came without. */
  messageIdOf(message: BrokerMessage): MessageId {
    return message.messageId ?? this.#ids.next();
  }

  /** Tells the listeners of something that happened to a message. */
  emit(type: BrokerEventType, message: StoredMessage, nowMs: number, detail?: string): void {
    if (this.listeners.size === 0) return;
    const { content, sequence, store } = message;
    const { messageId, sessionId } = content;
    this.#notify(type, store.path, nowMs, BigInt(sequence), messageId, sessionId, detail);
  }

  /** Tells the listeners of something that happened to an entity or a session. */
  emitEntity(
    type: BrokerEventType,
    entity: string,
    nowMs: number,
    sessionId?: string,
    detail?: string,
  ): void {
    if (this.listeners.size === 0) return;
    this.#notify(type, entity, nowMs, undefined, undefined, sessionId, detail);
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

  /** Refuses all further operations, and those that wait. */
  stop(failure: BrokerError): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
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
      // What happens unasked has nobody who awaits it: a failure then shows in the next operation.
      this.#guardedCommit?.catch(() => {});
    }
    return this.#guardedCommit;
  }

  #serve(nowMs: number): void {
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
    const failure = new BrokerError(
      "storage-failed",
      "The broker stopped because its storage failed to commit.",
      { cause },
    );
    this.stop(failure);
    throw failure;
  }

  #notify(
    type: BrokerEventType,
    entity: string,
    nowMs: number,
    sequenceNumber: bigint | undefined,
    messageId: MessageId | undefined,
    sessionId: string | undefined,
    detail: string | undefined,
  ): void {
    const event = { type, entity, at: new Date(nowMs), sequenceNumber, messageId, sessionId, detail };
    for (const listener of this.listeners) listener(event);
  }
}
