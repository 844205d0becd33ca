import type {
  CallOptions,
  EntityAddress,
  TransportCreateBatchOptions,
  TransportMessageBatch,
  TransportSender,
} from "../../contracts/transport.js";
import type { EncodedMessage } from "../../message/message.js";
import type { ActiveNamespace, PairedNamespace } from "./active-namespace.js";
import { PerNamespace } from "./per-namespace.js";

/** Sends to the namespace in use. */
export class FailoverSender implements TransportSender {
  readonly entityPath: string;
  readonly #active: ActiveNamespace;
  readonly #address: EntityAddress;
  readonly #senders: PerNamespace<TransportSender>;

  constructor(active: ActiveNamespace, queueOrTopic: string) {
    this.entityPath = queueOrTopic;
    this.#active = active;
    this.#address = { queue: queueOrTopic };
    this.#senders = new PerNamespace(({ transport }) => transport.createSender(queueOrTopic));
  }

  send(messages: readonly EncodedMessage[], options?: CallOptions): Promise<void> {
    return this.#call((sender) => sender.send(messages, options));
  }

  createBatch(options?: TransportCreateBatchOptions): Promise<TransportMessageBatch> {
    return this.#call(
      async (sender, namespace) => new FailoverBatch(namespace, await sender.createBatch(options)),
    );
  }

  /** A batch of the lost namespace is sent as messages: its size was checked there. */
  sendBatch(batch: TransportMessageBatch, options?: CallOptions): Promise<void> {
    const { namespace: made, inner, messages } = batch as FailoverBatch;
    return this.#call((sender, namespace) =>
      namespace === made ? sender.sendBatch(inner, options) : sender.send(messages, options),
    );
  }

  async schedule(messages: readonly EncodedMessage[], at: Date, options?: CallOptions): Promise<bigint[]> {
    return await this.#call(async (sender, namespace) => {
      const numbers = await sender.schedule(messages, at, options);
      if (namespace === this.#active.current) this.#active.numbersOf(this.entityPath).note(numbers);
      return numbers;
    });
  }

  async cancelScheduled(sequenceNumbers: readonly bigint[], options?: CallOptions): Promise<void> {
    this.#active.numbersOf(this.entityPath).check(sequenceNumbers);
    await this.#call((sender) => sender.cancelScheduled(sequenceNumbers, options));
  }

  async close(): Promise<void> {
    await this.#senders.close();
  }

  #call<Answer>(
    work: (sender: TransportSender, namespace: PairedNamespace) => Promise<Answer>,
  ): Promise<Answer> {
    return this.#active.call(this.#address, (namespace) => work(this.#senders.in(namespace), namespace));
  }
}

/** Remembers its messages, in case its namespace is lost before it is sent. */
class FailoverBatch implements TransportMessageBatch {
  readonly namespace: PairedNamespace;
  readonly inner: TransportMessageBatch;
  readonly messages: EncodedMessage[] = [];

  constructor(namespace: PairedNamespace, inner: TransportMessageBatch) {
    this.namespace = namespace;
    this.inner = inner;
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
    const isAdded = this.inner.tryAdd(message);
    if (isAdded) this.messages.push(message);
    return isAdded;
  }
}
