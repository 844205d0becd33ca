import type { Broker } from "@waybill/broker";
import type { Transport } from "@waybill/core";
import { provideEverything } from "@waybill/core/everything";
import {
  type EntityAddress,
  entityPathOf,
  type ReceiveMode,
  type Scheduler,
  type TransportAcceptSessionOptions,
  type TransportCapability,
  type TransportListSessionsOptions,
  TransportParts,
  type TransportReceiver,
  type TransportRuleManager,
  type TransportSender,
  type TransportSessionReceiver,
} from "@waybill/core/transport";
import { underEither } from "@waybill/foundation";
import { ClockScheduler } from "./clock-scheduler.js";
import { closedError, throwIfAborted, toLocalError } from "./local-error.js";
import { LocalReceiver } from "./local-receiver.js";
import { LocalRuleManager } from "./local-rule-manager.js";
import { LocalSender } from "./local-sender.js";
import { LocalSessionReceiver } from "./local-session-receiver.js";

/**
 * A transport to a broker in the same process, without a socket. It uses the broker's clock, closing it leaves the broker open, and clients over it
 * load no code later. Throws `TypeError` for anything other than a broker.
 */
export function localTransport(broker: Broker): Transport {
  if (typeof broker?.acceptSession !== "function") {
    throw new TypeError("localTransport needs a Broker of @waybill/broker, as createBroker makes it.");
  }
  provideEverything();
  return new LocalTransport(broker);
}

const capabilities: ReadonlySet<TransportCapability> = new Set([
  "scheduling",
  "deferral",
  "sessions",
  "sessionEnumeration",
  "rules",
  "transferDeadLetter",
] as const);

class LocalTransport implements Transport {
  readonly capabilities = capabilities;
  /** The host at which network clients find a broker of this process. */
  readonly fullyQualifiedNamespace = "localhost";
  readonly #broker: Broker;
  readonly #scheduler: ClockScheduler;
  readonly #parts = new TransportParts();
  readonly #closing = new AbortController();

  constructor(broker: Broker) {
    this.#broker = broker;
    this.#scheduler = new ClockScheduler(broker.clock);
  }

  get scheduler(): Scheduler {
    return this.#scheduler;
  }

  createSender(queueOrTopic: string): TransportSender {
    return this.#parts.add(new LocalSender(this.#broker, queueOrTopic, this.#parts.forget));
  }

  createReceiver(address: EntityAddress, receiveMode: ReceiveMode): TransportReceiver {
    const path = entityPathOf(address);
    const open = () => this.#broker.receiver(path, { mode: receiveMode });
    return this.#parts.add(new LocalReceiver({ ...this.#settings(path, receiveMode), open }));
  }

  async acceptSession(
    address: EntityAddress,
    sessionId: string | undefined,
    { receiveMode, maxWaitTimeInMs, abortSignal }: TransportAcceptSessionOptions,
  ): Promise<TransportSessionReceiver> {
    const path = entityPathOf(address);
    if (this.#isClosed) throw closedError(path);
    try {
      const session = await underEither(this.#closing.signal, abortSignal, (signal) =>
        this.#broker.acceptSession(path, {
          sessionId,
          mode: receiveMode,
          maxWaitMs: maxWaitTimeInMs,
          signal,
        }),
      );
      return this.#parts.add(new LocalSessionReceiver({ ...this.#settings(path, receiveMode), session }));
    } catch (error) {
      throw this.#isClosed ? closedError(path) : toLocalError(error, path);
    }
  }

  createRuleManager(topic: string, subscription: string): TransportRuleManager {
    return this.#parts.add(new LocalRuleManager(this.#broker, topic, subscription, this.#parts.forget));
  }

  async listSessions(
    address: EntityAddress,
    { updatedAfter, skip, top, abortSignal }: TransportListSessionsOptions,
  ): Promise<string[]> {
    const path = entityPathOf(address);
    if (this.#isClosed) throw closedError(path);
    throwIfAborted(abortSignal, path);
    try {
      return await this.#broker.receiver(path).listSessions({ updatedAfter, skip, top });
    } catch (error) {
      throw toLocalError(error, path);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#closing.abort();
    await this.#parts.close();
    this.#scheduler.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #settings(path: string, receiveMode: ReceiveMode) {
    return { entityPath: path, receiveMode, scheduler: this.#scheduler, onClosed: this.#parts.forget };
  }
}
