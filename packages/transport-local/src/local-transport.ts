import type { Broker } from "@waybill/broker";
import {
  type EntityAddress,
  type ReceiveMode,
  type Scheduler,
  type Transport,
  type TransportCapability,
  type TransportReceiver,
  type TransportRuleManager,
  type TransportSender,
  type TransportSessionReceiver,
  WaybillError,
} from "@waybill/core";
import { ClockScheduler } from "./clock-scheduler.js";
import { entityPath } from "./entity-path.js";
import { closedError } from "./local-error.js";
import { LocalReceiver } from "./local-receiver.js";
import { LocalSender } from "./local-sender.js";

/**
 * A transport to a broker in the same process: no socket, no second copy of the broker's rules. It goes by the broker's clock, and
 * closing it leaves the broker open.
 */
export function localTransport(broker: Broker): Transport {
  return new LocalTransport(broker);
}

const capabilities: ReadonlySet<TransportCapability> = new Set([
  "scheduling",
  "deferral",
  "transferDeadLetter",
] as const);

class LocalTransport implements Transport {
  readonly capabilities = capabilities;
  readonly #broker: Broker;
  readonly #scheduler: ClockScheduler;
  readonly #parts = new Set<LocalSender | LocalReceiver>();
  #isClosed = false;

  constructor(broker: Broker) {
    this.#broker = broker;
    this.#scheduler = new ClockScheduler(broker.clock);
  }

  get scheduler(): Scheduler {
    return this.#scheduler;
  }

  createSender(queueOrTopic: string): TransportSender {
    return this.#add(new LocalSender(this.#broker, queueOrTopic, this.#forget));
  }

  createReceiver(address: EntityAddress, receiveMode: ReceiveMode): TransportReceiver {
    const path = entityPath(address);
    return this.#add(new LocalReceiver(this.#broker, path, receiveMode, this.#scheduler, this.#forget));
  }

  async acceptSession(address: EntityAddress): Promise<TransportSessionReceiver> {
    if (this.#isClosed) throw closedError(entityPath(address));
    throw notSupported("Sessions", entityPath(address));
  }

  createRuleManager(topic: string, subscription: string): TransportRuleManager {
    const refuse = () => Promise.reject(notSupported("Rules", entityPath({ topic, subscription })));
    return { createRule: refuse, deleteRule: refuse, listRules: refuse, close: () => Promise.resolve() };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.all(Array.from(this.#parts, (part) => part.close()));
    this.#scheduler.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #add<Part extends LocalSender | LocalReceiver>(part: Part): Part {
    if (this.#isClosed) void part.close();
    else this.#parts.add(part);
    return part;
  }

  readonly #forget = (part: LocalSender | LocalReceiver): void => {
    this.#parts.delete(part);
  };
}

function notSupported(what: string, path: string): WaybillError {
  return new WaybillError("not-supported", `${what} are not available on the local broker.`, {
    entityPath: path,
  });
}
