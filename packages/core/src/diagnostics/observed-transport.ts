import type { Scheduler } from "../scheduler.js";
import type {
  AcceptSessionOptions,
  EntityAddress,
  ReceiveMode,
  Transport,
  TransportReceiver,
  TransportRuleManager,
  TransportSender,
  TransportSessionReceiver,
} from "../transport.js";
import { ObservedReceiver, ObservedSessionReceiver } from "./observed-receiver.js";
import { ObservedSender } from "./observed-sender.js";
import type { Observer } from "./observer.js";

/** A transport whose senders and receivers tell an observer what they do. */
export class ObservedTransport implements Transport {
  readonly #inner: Transport;
  readonly #observer: Observer;

  constructor(inner: Transport, observer: Observer) {
    this.#inner = inner;
    this.#observer = observer;
  }

  get capabilities(): Transport["capabilities"] {
    return this.#inner.capabilities;
  }

  get scheduler(): Scheduler | undefined {
    return this.#inner.scheduler;
  }

  get namespace(): string | undefined {
    return this.#inner.namespace;
  }

  createSender(queueOrTopic: string): TransportSender {
    return new ObservedSender(this.#inner.createSender(queueOrTopic), this.#observer);
  }

  createReceiver(address: EntityAddress, receiveMode: ReceiveMode): TransportReceiver {
    return new ObservedReceiver(this.#inner.createReceiver(address, receiveMode), this.#observer);
  }

  async acceptSession(
    address: EntityAddress,
    sessionId: string | undefined,
    options: AcceptSessionOptions,
  ): Promise<TransportSessionReceiver> {
    const session = await this.#inner.acceptSession(address, sessionId, options);
    return new ObservedSessionReceiver(session, this.#observer);
  }

  createRuleManager(topic: string, subscription: string): TransportRuleManager {
    return this.#inner.createRuleManager(topic, subscription);
  }

  /** Tells nothing: it moves no message. */
  get listSessions(): Transport["listSessions"] {
    const { listSessions } = this.#inner;
    return listSessions?.bind(this.#inner);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
