import type {
  AcceptSessionOptions,
  EntityAddress,
  LinkStall,
  ReceiveMode,
  ReceiverEvents,
  Transport,
  TransportReceiver,
  TransportRuleManager,
  TransportSender,
  TransportSessionReceiver,
} from "../contracts/transport.js";
import type { Scheduler } from "../foundation/scheduler.js";
import { ObservedReceiver, ObservedSessionReceiver } from "./observed-receiver.js";
import { ObservedSender } from "./observed-sender.js";
import type { Observer } from "./observer.js";

/** A transport whose senders and receivers report to an observer. */
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

  get fullyQualifiedNamespace(): string | undefined {
    return this.#inner.fullyQualifiedNamespace;
  }

  get identifier(): string | undefined {
    return this.#inner.identifier;
  }

  createSender(queueOrTopic: string): TransportSender {
    return new ObservedSender(this.#inner.createSender(queueOrTopic), this.#observer);
  }

  createReceiver(
    address: EntityAddress,
    receiveMode: ReceiveMode,
    events?: ReceiverEvents,
  ): TransportReceiver {
    const inner = this.#inner.createReceiver(address, receiveMode, this.#observed(events));
    return new ObservedReceiver(inner, this.#observer);
  }

  async acceptSession(
    address: EntityAddress,
    sessionId: string | undefined,
    options: AcceptSessionOptions,
  ): Promise<TransportSessionReceiver> {
    const observed = { ...options, ...this.#observed(options) };
    const session = await this.#inner.acceptSession(address, sessionId, observed);
    return new ObservedSessionReceiver(session, this.#observer);
  }

  createRuleManager(topic: string, subscription: string): TransportRuleManager {
    return this.#inner.createRuleManager(topic, subscription);
  }

  /** Not reported, because it sends and receives no messages. */
  get listSessions(): Transport["listSessions"] {
    const { listSessions } = this.#inner;
    return listSessions?.bind(this.#inner);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #observed(events: ReceiverEvents | undefined): ReceiverEvents {
    const onLinkStalled = (stall: LinkStall) => {
      this.#observer.report(() => ({ type: "linkStalled", ...stall }));
      events?.onLinkStalled?.(stall);
    };
    return { onLinkStalled };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
