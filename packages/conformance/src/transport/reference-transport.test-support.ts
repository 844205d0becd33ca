import type {
  CallOptions,
  DeadLetterOptions,
  DeliveredMessage,
  EncodedMessage,
  EntityAddress,
  ReceiveMode,
  ReceiveOptions,
  SettlementHandle,
  SettleOptions,
  SubscribeHandlers,
  Transport,
  TransportCapability,
  TransportMessageBatch,
  TransportReceiver,
  TransportSessionReceiver,
} from "@waybill/core";
import { WaybillError } from "@waybill/core";
import {
  failure,
  type HeldSession,
  type Lane,
  ReferenceBroker,
  type Stored,
  toDelivered,
} from "./reference-broker.test-support.js";
import { matches, withAction } from "./reference-rules.test-support.js";
import type { TransportSubject } from "./transport-subject.js";

/** Everything the contract knows. */
const everyCapability: readonly TransportCapability[] = [
  "scheduling",
  "deferral",
  "sessions",
  "sessionEnumeration",
  "rules",
  "transferDeadLetter",
];

const maxMessageBytes = 256 * 1024;

/**
 * A transport with every capability on a broker of a few arrays: slow, in memory, and written from the contract alone. It shows that the
 * law can be obeyed in full, and the tests break it to show that the law notices.
 */
export function referenceSubject(
  breakTransport: (transport: Transport) => Transport = (transport) => transport,
): TransportSubject {
  return {
    capabilities: everyCapability,
    patienceMs: 100,
    async create() {
      const broker = new ReferenceBroker();
      const transport = referenceTransport(broker);
      return {
        transport: breakTransport(transport),
        createQueue: (setting) => broker.createQueue(setting),
        createTopic: (subscriptions, setting) => broker.createTopic(subscriptions, setting),
        advance: (durationMs) => broker.advance(durationMs),
        now: () => broker.now(),
        [Symbol.asyncDispose]: () => transport.close(),
      };
    },
  };
}

function referenceTransport(broker: ReferenceBroker): Transport {
  const closing = new AbortController();
  const open = (path: string) => new Part(broker, path, closing.signal);
  return {
    capabilities: new Set(everyCapability),
    createSender(entity) {
      const part = open(entity);
      const sendAll = (messages: readonly EncodedMessage[]) => {
        const lanes = (broker.topics.get(entity) ?? [entity]).map((path) => broker.lane(path));
        for (const message of messages) checkSendable(message, lanes, entity);
        const numbers = messages.map((message) => sendOne(message, lanes, broker.topics.has(entity)));
        broker.pump();
        return numbers;
      };
      return {
        entityPath: entity,
        send: (messages, options) => part.call(options, () => void sendAll(messages)),
        createBatch: (options) =>
          part.call(options, () => referenceBatch(entity, options?.maxSizeInBytes ?? maxMessageBytes)),
        sendBatch: (batch, options) =>
          part.call(options, () => void sendAll((batch as ReferenceBatch).messages)),
        schedule: (messages, at, options) =>
          part.call(options, () =>
            sendAll(messages.map((message) => ({ ...message, scheduledEnqueueTimeUtc: at }))),
          ),
        cancelScheduled: (numbers, options) =>
          part.call(options, () => {
            const lane = broker.lane(entity);
            const found = numbers.map((number) => findStored(lane, number, "scheduled"));
            for (const stored of found) lane.remove(stored);
          }),
        close: () => part.close(),
      };
    },
    createReceiver: (address, mode) => new Receiver(open(pathOf(address)), mode, undefined),
    acceptSession(address, sessionId, options) {
      const path = pathOf(address);
      const part = open(path);
      return part.waiting(options, options.maxWaitTimeMs, (isDue) => {
        const lane = broker.lane(path);
        if (!lane.setting.requiresSession)
          throw failure("operation-invalid", "The entity has no sessions.", path);
        if (sessionId !== undefined && lane.isHeld(sessionId))
          throw failure("session-cannot-be-locked", "Another receiver holds the session.", path);
        const id =
          sessionId ??
          lane.messages.find(({ state, message }) => state === "active" && !lane.isHeld(message.sessionId!))
            ?.message.sessionId;
        if (id !== undefined) return new SessionReceiver(part, options.receiveMode, lane.hold(id));
        if (isDue) throw failure("timeout", "No session came.", path);
        return undefined;
      });
    },
    async listSessions(address, { updatedAfter, skip, top, ...options }) {
      const path = pathOf(address);
      return open(path).call(options, () => {
        const lane = broker.lane(path);
        if (!lane.setting.requiresSession)
          throw failure("operation-invalid", "The entity has no sessions.", path);
        const ids =
          updatedAfter === undefined
            ? lane.messages.map(({ message }) => message.sessionId!)
            : [...lane.states].filter(([, { setAt }]) => setAt > updatedAfter).map(([id]) => id);
        return [...new Set(ids)].sort().slice(skip, skip + top);
      });
    },
    createRuleManager(topic, subscription) {
      const path = pathOf({ topic, subscription });
      const part = open(path);
      return {
        createRule: (rule, options) =>
          part.call(options, () => {
            const { rules } = broker.lane(path);
            if (rules.has(rule.name)) throw failure("entity-already-exists", "The name is taken.", path);
            matches(rule.filter, { message: { body: new Uint8Array() }, properties: {} });
            rules.set(rule.name, structuredClone(rule));
          }),
        deleteRule: (name, options) =>
          part.call(options, () => {
            if (!broker.lane(path).rules.delete(name))
              throw failure("entity-not-found", "There is no such rule.", path);
          }),
        listRules: (options) =>
          part.call(options, () => structuredClone([...broker.lane(path).rules.values()])),
        close: () => part.close(),
      };
    },
    async close() {
      closing.abort(failure("closed", "The transport is closed."));
    },
    [Symbol.asyncDispose]() {
      return this.close();
    },
  };
}

interface ReferenceBatch extends TransportMessageBatch {
  readonly messages: EncodedMessage[];
}

function referenceBatch(entity: string, maxSizeInBytes: number): ReferenceBatch {
  if (maxSizeInBytes > maxMessageBytes) throw failure("operation-invalid", "That is too large.", entity);
  const messages: EncodedMessage[] = [];
  const sizeOf = (message: EncodedMessage) =>
    JSON.stringify(message.applicationProperties ?? {}).length + 100;
  const bodyOf = ({ body }: EncodedMessage) => (body instanceof Uint8Array ? body.length : 100);
  return {
    messages,
    maxSizeInBytes,
    get count() {
      return messages.length;
    },
    get sizeInBytes() {
      return messages.reduce((bytes, message) => bytes + sizeOf(message) + bodyOf(message), 0);
    },
    tryAdd(message) {
      if (this.sizeInBytes + sizeOf(message) + bodyOf(message) > maxSizeInBytes) return false;
      messages.push(message);
      return true;
    },
  };
}

/** The life of something that a transport made: closed by itself or with its transport. */
class Part {
  readonly broker: ReferenceBroker;
  readonly path: string;
  readonly #closing = new AbortController();
  readonly signal: AbortSignal;

  constructor(broker: ReferenceBroker, path: string, transport: AbortSignal) {
    this.broker = broker;
    this.path = path;
    this.signal = AbortSignal.any([this.#closing.signal, transport]);
  }

  async call<T>(options: CallOptions | undefined, run: () => T): Promise<T> {
    this.signal.throwIfAborted();
    if (options?.abortSignal?.aborted) throw failure("aborted", "The caller gave up.", this.path);
    this.broker.pump();
    return run();
  }

  async waiting<T>(
    options: CallOptions,
    maxWaitMs: number,
    attempt: (isDue: boolean) => T | undefined,
  ): Promise<T> {
    await this.call(options, () => {});
    const { abortSignal } = options;
    const signal = abortSignal === undefined ? this.signal : AbortSignal.any([this.signal, abortSignal]);
    try {
      return await this.broker.wait(attempt, maxWaitMs, signal);
    } catch (error) {
      if (error instanceof WaybillError) throw error;
      throw failure("aborted", "The caller gave up.", this.path);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(failure("closed", "It is closed.", this.path));
  }
}

class Receiver implements TransportReceiver {
  readonly part: Part;
  readonly receiveMode: ReceiveMode;
  readonly session: HeldSession | undefined;

  constructor(part: Part, receiveMode: ReceiveMode, session: HeldSession | undefined) {
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
    return this.part.waiting(options, options.maxWaitTimeMs, (isDue) => {
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
        for (const message of await this.receive({ maxMessages, maxWaitTimeMs: Infinity, abortSignal })) {
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
      stored.lock = undefined;
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

class SessionReceiver extends Receiver implements TransportSessionReceiver {
  readonly #held: HeldSession;

  constructor(part: Part, receiveMode: ReceiveMode, session: HeldSession) {
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

function checkSendable({ body, sessionId }: EncodedMessage, lanes: readonly Lane[], entity: string): void {
  if (body instanceof Uint8Array && body.length > maxMessageBytes)
    throw failure("message-too-large", "The message is too large.", entity);
  if (sessionId === undefined && lanes.some(({ setting }) => setting.requiresSession))
    throw failure("operation-invalid", "The entity needs a session id.", entity);
}

function sendOne(message: EncodedMessage, lanes: readonly Lane[], isTopic: boolean): bigint {
  let number = 0n;
  for (const lane of lanes) {
    const properties = { ...message.applicationProperties };
    const hits = [...lane.rules.values()].filter(({ filter }) => matches(filter, { message, properties }));
    if (isTopic && hits.length === 0) continue;
    const changed = hits.reduce((copy, { action }) => withAction(copy, action), message);
    number = lane.add(isTopic ? changed : message);
  }
  return number;
}

function findStored(lane: Lane, sequenceNumber: bigint, state: Stored["state"]): Stored {
  const stored = lane.messages.find(
    (one) => one.sequenceNumber === sequenceNumber && one.state === state && one.lock === undefined,
  );
  if (stored === undefined)
    throw failure("message-not-found", `No ${state} message has the number.`, lane.path);
  return stored;
}

function pathOf(address: EntityAddress): string {
  const path = "queue" in address ? address.queue : `${address.topic}/Subscriptions/${address.subscription}`;
  if (address.subQueue === undefined) return path;
  return `${path}/${address.subQueue === "deadLetter" ? "" : "$Transfer/"}$DeadLetterQueue`;
}
