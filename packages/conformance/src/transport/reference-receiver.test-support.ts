import type {
  CallOptions,
  DeadLetterOptions,
  DeliveredMessage,
  ReceiveMode,
  ReceiveOptions,
  SettlementHandle,
  SettleOptions,
  SubscribeHandlers,
  TransportReceiver,
  TransportSessionReceiver,
} from "@waybill/core/transport";
import {
  failure,
  findStored,
  type HeldSession,
  type Lane,
  type Stored,
  toDelivered,
} from "./reference-broker.test-support.js";
import type { ReferencePart } from "./reference-part.test-support.js";

/** Receives from an entity of the reference broker. */
export class ReferenceReceiver implements TransportReceiver {
  readonly part: ReferencePart;
  readonly receiveMode: ReceiveMode;
  readonly session: HeldSession | undefined;

  constructor(part: ReferencePart, receiveMode: ReceiveMode, session: HeldSession | undefined) {
    this.part = part;
    this.receiveMode = receiveMode;
    this.session = session;
  }

  get entityPath(): string {
    return this.part.path;
  }

  get lane(): Lane {
    return this.part.broker.lane(this.part.path);
  }

  receive(options: ReceiveOptions): Promise<DeliveredMessage[]> {
    return this.part.waiting(options, options.maxWaitTimeInMs, (isDue) => {
      if (this.lane.setting.requiresSession && this.session === undefined)
        throw failure("operation-invalid", "The entity needs a session.", this.part.path);
      const messages = this.lane.take(options.maxMessages, this.receiveMode, this.session);
      return messages.length > 0 || isDue ? messages : undefined;
    });
  }

  subscribe(handlers: SubscribeHandlers, { maxConcurrentCalls }: { maxConcurrentCalls: number }) {
    const stopping = new AbortController();
    const running = new Set<Promise<void>>();
    const abortSignal = AbortSignal.any([stopping.signal, this.part.signal]);
    const loop = async () => {
      while (!abortSignal.aborted) {
        if (running.size >= maxConcurrentCalls) await Promise.race(running);
        const maxMessages = maxConcurrentCalls - running.size;
        if (maxMessages === 0) continue;
        for (const message of await this.receive({ maxMessages, maxWaitTimeInMs: Infinity, abortSignal })) {
          const handling: Promise<void> = handlers.onMessage(message).finally(() => running.delete(handling));
          running.add(handling);
        }
      }
    };
    const looping = loop().catch((error: unknown) => {
      if (!abortSignal.aborted) handlers.onError(error);
    });
    return {
      async stop() {
        stopping.abort();
        handlers.onStopping?.();
        await Promise.all(running);
        await Promise.race([looping, Promise.resolve()]);
      },
    };
  }

  receiveDeferred(numbers: readonly bigint[], options?: CallOptions): Promise<DeliveredMessage[]> {
    return this.part.call(options, () =>
      numbers
        .map((number) => findStored(this.lane, number, "deferred"))
        .map((stored) => this.lane.deliver(stored, this.receiveMode, this.session)),
    );
  }

  peek(options: Parameters<TransportReceiver["peek"]>[0]): Promise<DeliveredMessage[]> {
    return this.part.call(options, () =>
      this.lane.messages
        .filter(({ sequenceNumber }) => sequenceNumber >= (options.fromSequenceNumber ?? 0n))
        .filter(({ message }) => this.session === undefined || message.sessionId === this.session.id)
        .slice(0, options.maxMessages)
        .map(toDelivered),
    );
  }

  complete(handle: SettlementHandle, options?: CallOptions): Promise<void> {
    return this.#settle(handle, options, (stored) => this.lane.remove(stored));
  }

  abandon(handle: SettlementHandle, options?: SettleOptions): Promise<void> {
    return this.#settle(handle, options, (stored) => this.lane.release(stored));
  }

  defer(handle: SettlementHandle, options?: SettleOptions): Promise<void> {
    return this.#settle(handle, options, (stored) => {
      stored.state = "deferred";
      this.lane.release(stored);
    });
  }

  deadLetter(handle: SettlementHandle, options: DeadLetterOptions = {}): Promise<void> {
    const { deadLetterReason, deadLetterErrorDescription } = options;
    return this.#settle(handle, options, (stored) =>
      this.lane.moveToDeadLetter(stored, deadLetterReason, deadLetterErrorDescription),
    );
  }

  renewLock(handle: SettlementHandle, options?: CallOptions): Promise<Date> {
    return this.part.call(options, () => {
      const { lock } = this.lane.locked(handle, this.session);
      lock!.untilMs = this.part.broker.nowMs + this.lane.setting.lockDurationMs;
      return new Date(lock!.untilMs);
    });
  }

  async close(): Promise<void> {
    await this.part.close();
  }

  #settle(
    handle: SettlementHandle,
    options: SettleOptions | undefined,
    settle: (stored: Stored) => void,
  ): Promise<void> {
    return this.part.call(options, () => {
      const stored = this.lane.locked(handle, this.session);
      Object.assign(stored.properties, options?.propertiesToModify);
      settle(stored);
      this.part.broker.pump();
    });
  }
}

/** The same for the session that it holds. */
export class ReferenceSessionReceiver extends ReferenceReceiver implements TransportSessionReceiver {
  readonly #held: HeldSession;

  constructor(part: ReferencePart, receiveMode: ReceiveMode, session: HeldSession) {
    super(part, receiveMode, session);
    this.#held = session;
  }

  get sessionId(): string {
    return this.#held.id;
  }

  get sessionLockedUntilUtc(): Date {
    return new Date(this.#held.untilMs);
  }

  renewSessionLock(options?: CallOptions): Promise<Date> {
    return this.#holding(options, () => {
      this.#held.untilMs = this.part.broker.nowMs + this.lane.setting.lockDurationMs;
      return this.sessionLockedUntilUtc;
    });
  }

  getState(options?: CallOptions): Promise<Uint8Array | undefined> {
    return this.#holding(options, () => this.lane.states.get(this.sessionId)?.bytes.slice());
  }

  setState(state: Uint8Array | undefined, options?: CallOptions): Promise<void> {
    return this.#holding(options, () => {
      if (state === undefined) this.lane.states.delete(this.sessionId);
      else this.lane.states.set(this.sessionId, { bytes: state.slice(), setAt: this.part.broker.now() });
    });
  }

  override async close(): Promise<void> {
    await super.close();
    this.#held.isHeld = false;
    for (const stored of this.lane.messages)
      if (stored.lock?.session === this.#held) this.lane.release(stored);
    this.part.broker.pump();
  }

  #holding<T>(options: CallOptions | undefined, run: () => T): Promise<T> {
    return this.part.call(options, () => {
      if (!this.#held.isHeld)
        throw failure("session-lock-lost", "The session's lock is gone.", this.part.path);
      return run();
    });
  }
}
