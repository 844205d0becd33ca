import type {
  CallOptions,
  TransportCreateBatchOptions,
  TransportMessageBatch,
  TransportSender,
} from "../contracts/transport.js";
import type { EncodedMessage } from "../message/message.js";
import type { MessageFacts } from "./diagnostics.js";
import { messageFacts } from "./message-facts.js";
import type { Observer } from "./observer.js";

/** A transport's sender whose sends are reported, and whose messages get a trace context. */
export class ObservedSender implements TransportSender {
  readonly #inner: TransportSender;
  readonly #observer: Observer;
  /** The messages with trace context: one that did not fit a batch is added to the next, but its "create" is traced only once. */
  readonly #created = new WeakMap<EncodedMessage, EncodedMessage>();

  constructor(inner: TransportSender, observer: Observer) {
    this.#inner = inner;
    this.#observer = observer;
  }

  get entityPath(): string {
    return this.#inner.entityPath;
  }

  send(messages: readonly EncodedMessage[], options?: CallOptions): Promise<void> {
    if (!this.#observer.isOn) return this.#inner.send(messages, options);
    return this.#follow("send", messages, (traced) => this.#inner.send(traced, options));
  }

  schedule(messages: readonly EncodedMessage[], at: Date, options?: CallOptions): Promise<bigint[]> {
    if (!this.#observer.isOn) return this.#inner.schedule(messages, at, options);
    return this.#follow("schedule", messages, (traced) => this.#inner.schedule(traced, at, options));
  }

  async createBatch(options?: TransportCreateBatchOptions): Promise<TransportMessageBatch> {
    return new ObservedBatch(await this.#inner.createBatch(options), (message) => this.#create(message));
  }

  sendBatch(batch: TransportMessageBatch, options?: CallOptions): Promise<void> {
    const { inner, messages } = batch as ObservedBatch;
    const { entityPath } = this;
    if (!this.#observer.isOn || messages.length === 0) return this.#inner.sendBatch(inner, options);
    const trace = this.#observer.begin({ type: "send", entityPath, messages, startedAtMs: Date.now() });
    return this.#observer.follow(
      trace,
      () => this.#inner.sendBatch(inner, options),
      (durationInMs, error) => ({ type: "send", entityPath, messages, durationInMs, error }),
    );
  }

  cancelScheduled(sequenceNumbers: readonly bigint[], options?: CallOptions): Promise<void> {
    return this.#inner.cancelScheduled(sequenceNumbers, options);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** A single message gets the context of the send operation; several get one each. */
  #follow<T>(
    type: "send" | "schedule",
    messages: readonly EncodedMessage[],
    work: (messages: readonly EncodedMessage[]) => Promise<T>,
  ): Promise<T> {
    const { entityPath } = this;
    const created = messages.length === 1 ? messages : messages.map((message) => this.#create(message));
    const facts = created.map((message) => messageFacts(message));
    const trace = this.#observer.begin({ type, entityPath, messages: facts, startedAtMs: Date.now() });
    const toAdd = created.length === 1 ? trace?.propertiesToAdd : undefined;
    const traced = toAdd === undefined ? created : created.map((message) => withProperties(message, toAdd));
    return this.#observer.follow(
      trace,
      () => work(traced),
      (durationInMs, error) => ({ type, entityPath, messages: facts, durationInMs, error }),
    );
  }

  #create(message: EncodedMessage): EncodedMessage {
    if (!this.#observer.isTracing) return message;
    const known = this.#created.get(message);
    if (known !== undefined) return known;
    const { entityPath } = this;
    const trace = this.#observer.begin({ type: "create", entityPath, message: messageFacts(message) });
    if (trace === undefined) return message;
    const { propertiesToAdd } = trace;
    const created = propertiesToAdd === undefined ? message : withProperties(message, propertiesToAdd);
    this.#observer.end(trace);
    this.#created.set(message, created);
    return created;
  }
}

class ObservedBatch implements TransportMessageBatch {
  readonly inner: TransportMessageBatch;
  readonly messages: MessageFacts[] = [];
  readonly #create: (message: EncodedMessage) => EncodedMessage;

  constructor(inner: TransportMessageBatch, create: (message: EncodedMessage) => EncodedMessage) {
    this.inner = inner;
    this.#create = create;
  }

  get count(): number {
    return this.inner.count;
  }

  get sizeInBytes(): number {
    return this.inner.sizeInBytes;
  }

  get maxSizeInBytes(): number {
    return this.inner.maxSizeInBytes;
  }

  tryAdd(message: EncodedMessage): boolean {
    const created = this.#create(message);
    if (!this.inner.tryAdd(created)) return false;
    this.messages.push(messageFacts(created));
    return true;
  }
}

function withProperties(
  message: EncodedMessage,
  toAdd: NonNullable<EncodedMessage["applicationProperties"]>,
): EncodedMessage {
  return { ...message, applicationProperties: { ...message.applicationProperties, ...toAdd } };
}
