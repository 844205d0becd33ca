import { type Broker, BrokerError, type BrokerReceivedMessage as Received } from "@waybill/broker";
import { type EncodedMessage, type ErrorCode, type Transport, WaybillError } from "@waybill/core";
import * as api from "@waybill/core/transport";

/** Connects waybill to a broker in this process, without schedules, deferral, sessions and rules. */
export function smallTransport(broker: Broker, scheduler: api.Scheduler): Transport {
  const parts = new api.TransportParts();
  const base: Base = { broker, scheduler, parts };
  return {
    capabilities: new Set(),
    scheduler,
    createSender: (path) => parts.add(new Sender(path, base)),
    createReceiver: (address, mode) => parts.add(new Receiver(address, mode, base)),
    acceptSession: (address) => parts.add(new Part(api.entityPathOf(address), base)).acceptSession(),
    createRuleManager: (topic) => parts.add(new Part(topic, base)),
    close: () => parts.close(),
    [Symbol.asyncDispose]: () => parts.close(),
  };
}

type Base = {
  readonly broker: Broker;
  readonly scheduler: api.Scheduler;
  readonly parts: api.TransportParts;
};

/** The broker's codes that waybill names otherwise. */
const codes: Readonly<Record<string, ErrorCode>> = {
  "argument-error": "operation-invalid",
  cancelled: "aborted",
  "message-size-exceeded": "message-too-large",
  "not-allowed": "operation-invalid",
};

/** What is closed once and maps the broker's errors; by itself, the operations that this transport lacks. */
class Part extends api.TransportPart {
  readonly acceptSession = this.unsupported;
  readonly createRule = this.unsupported;
  readonly deleteRule = this.unsupported;
  readonly listRules = this.unsupported;
  protected readonly base: Base;

  constructor(path: string, base: Base) {
    super(path, base.parts.forget);
    this.base = base;
  }

  protected override toError(error: unknown): WaybillError {
    const { entityPath } = this;
    if (!(error instanceof BrokerError)) return WaybillError.from(error, "internal", { entityPath });
    return new WaybillError(codes[error.code] ?? (error.code as ErrorCode), error.message, { entityPath });
  }
}

class Sender extends Part implements api.TransportSender {
  readonly schedule = this.unsupported;
  readonly cancelScheduled = this.unsupported;
  readonly #broker = () => this.base.broker.sender(this.entityPath);

  send(messages: readonly EncodedMessage[], { abortSignal }: api.CallOptions = {}) {
    return this.call(abortSignal, () => this.#broker().sendBatch(messages.map(toBroker)));
  }

  createBatch({ maxSizeInBytes, abortSignal }: api.TransportCreateBatchOptions = {}) {
    const sizeOf = (message: EncodedMessage) => this.#broker().sizeOf(toBroker(message));
    return this.call(abortSignal, () => {
      const limit = this.#broker().maxBatchSizeInBytes;
      return new api.SizedBatch(this, sizeOf, limit, maxSizeInBytes);
    });
  }

  async sendBatch(batch: api.TransportMessageBatch, options?: api.CallOptions) {
    const messages = (batch as api.SizedBatch).messagesFor(this);
    await (messages.length === 0 ? this.call(options?.abortSignal, () => {}) : this.send(messages, options));
  }
}

class Receiver extends Part implements api.TransportReceiver {
  readonly defer = this.unsupported;
  readonly receiveDeferred = this.unsupported;
  readonly receiveMode: api.ReceiveMode;
  readonly #broker = () => this.base.broker.receiver(this.entityPath, { mode: this.receiveMode });
  readonly #subscriptions: api.TransportSubscription[] = [];

  constructor(address: api.EntityAddress, mode: api.ReceiveMode, base: Base) {
    super(api.entityPathOf(address), base);
    this.receiveMode = mode;
    if (address.subQueue === "transferDeadLetter") this.receive = this.unsupported;
  }

  receive({ maxMessages, maxWaitTimeInMs: maxWaitMs, abortSignal }: api.TransportReceiveOptions) {
    return this.wait(abortSignal, async (signal) =>
      (await this.#broker().receive(maxMessages, { maxWaitMs, signal })).map(fromBroker),
    );
  }

  peek({ maxMessages, abortSignal, ...from }: api.TransportPeekOptions) {
    return this.call(abortSignal, async () => (await this.#broker().peek(maxMessages, from)).map(fromBroker));
  }

  complete(message: object, { abortSignal }: api.CallOptions = {}) {
    return this.call(abortSignal, () => this.#broker().complete(message as Received));
  }

  abandon(message: object, { abortSignal, propertiesToModify }: api.TransportSettleOptions = {}) {
    return this.call(abortSignal, () => this.#broker().abandon(message as Received, propertiesToModify));
  }

  deadLetter(message: object, { abortSignal, ...options }: api.TransportDeadLetterOptions = {}) {
    const { deadLetterReason: reason, deadLetterErrorDescription: description } = options;
    return this.call(abortSignal, () =>
      this.#broker().deadLetter(message as Received, { reason, description, ...options }),
    );
  }

  renewLock(message: object, { abortSignal }: api.CallOptions = {}) {
    return this.call(abortSignal, () => this.#broker().renewLock(message as Received));
  }

  subscribe(handlers: api.TransportSubscribeHandlers, options: api.TransportSubscribeOptions) {
    if (this.isClosed) throw this.closedError();
    const { scheduler } = this.base;
    const receive = (maxMessages: number, abortSignal: AbortSignal) =>
      this.receive({ maxMessages, maxWaitTimeInMs: 60_000, abortSignal });
    const subscription = api.subscribeByReceiving(handlers, { ...options, scheduler, receive });
    this.#subscriptions.push(subscription);
    return subscription;
  }

  override async close() {
    await super.close();
    await Promise.all(this.#subscriptions.map((subscription) => subscription.stop()));
  }
}

function toBroker({ timeToLive, scheduledEnqueueTimeUtc, body, ...same }: EncodedMessage) {
  const data = body instanceof Uint8Array ? ({ section: "data", bytes: body } as const) : body;
  return { ...same, body: data, timeToLiveMs: timeToLive, scheduledEnqueueTime: scheduledEnqueueTimeUtc };
}

function fromBroker(message: Received): api.DeliveredMessage {
  const { body, lockToken, timeToLiveMs } = message;
  const same = Object.fromEntries(sameNames.map((name) => [name, message[name]]));
  return {
    ...(same as Pick<api.EveryProperty<api.DeliveredMessage>, (typeof sameNames)[number]>),
    body: body.section === "data" ? new Uint8Array(body.bytes) : body,
    timeToLive: timeToLiveMs === Number.POSITIVE_INFINITY ? undefined : timeToLiveMs,
    scheduledEnqueueTimeUtc: message.scheduledEnqueueTime,
    enqueuedTimeUtc: message.enqueuedTime,
    expiresAtUtc: message.expiresAt,
    lockedUntilUtc: lockToken === undefined ? undefined : message.lockedUntil,
    forcePersistence: message.forcePersistence || undefined,
    size: message.sizeInBytes,
    settlement: lockToken === undefined ? undefined : message,
  } satisfies api.EveryProperty<api.DeliveredMessage>;
}

/** The properties that have the same name in the broker. */
const sameNames = [
  ...(["messageId", "contentType", "contentEncoding", "correlationId", "subject", "to", "replyTo"] as const),
  ...(["sessionId", "partitionKey", "viaPartitionKey", "applicationProperties", "deliveryCount"] as const),
  ...(["deadLetterReason", "deadLetterErrorDescription", "deadLetterSource", "state"] as const),
  ...(["replyToSessionId", "lockToken", "sequenceNumber", "enqueuedSequenceNumber"] as const),
];
