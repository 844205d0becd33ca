import { type Broker, createBroker, openBroker } from "../../src/client/broker.js";
import type { Consumer } from "../../src/client/consumer.js";
import type { MessageReceiver } from "../../src/client/message-receiver.js";
import type { BrokerSessionReceiver } from "../../src/client/session-receiver.js";
import type { Transaction } from "../../src/client/transaction.js";
import { BrokerError } from "../../src/errors/broker-error.js";
import type { BrokerReceivedMessage } from "../../src/messages/received-message.js";
import type { Storage } from "../../src/storage/storage.js";
import { createManualClock, type ManualClock } from "../../src/timing/clock.js";
import type { Command, Fixture } from "./command.js";
import { describeSnapshot, toMessage, viewOf } from "./engine-view.js";
import type { Environment } from "./history.js";
import { at, startMs } from "./model-environment.js";
import type { MessageView, Mode, NaiveProperties, Settlement } from "./naive-entity.js";
import { planNet, queueOptionsOf, ruledName, ruledTopic, sourcesOf, targetsOf } from "./net.js";

/** A delivered message that can be settled, and its receiver. */
interface Kept {
  readonly path: string;
  readonly receiver: MessageReceiver;
  readonly message: BrokerReceivedMessage;
}

/** Opens the storage of a history, at its start and after each restart. */
export type OpenStorage = () => Storage | Promise<Storage>;

/** A consumer, and the messages since the last observation. */
interface Pushed {
  readonly path: string;
  readonly receiver: MessageReceiver;
  readonly consumer: Consumer;
  readonly inbox: BrokerReceivedMessage[];
  refused: string | undefined;
}

/** A call that may wait; `describe` converts its result to plain data. */
interface Pending {
  describe: (() => unknown) | undefined;
}

/** Runs commands on the engine through its public interface. */
export class EngineEnvironment implements Environment {
  /** The kinds of events so far; dead-lettering with its reason. */
  readonly events = new Set<string>();
  readonly #clock: ManualClock;
  readonly #open: () => Promise<Broker>;
  readonly #consumers: Pushed[] = [];
  readonly #transactions: Transaction[] = [];
  #broker: Broker;
  readonly #isDurable: boolean;
  readonly #fixture: Fixture;
  readonly #targets: readonly string[];
  readonly #sources: readonly string[];
  readonly #tickets: { readonly path: string; readonly sequence: bigint }[] = [];
  readonly #kept: Kept[] = [];
  readonly #held: { readonly path: string; readonly receiver: BrokerSessionReceiver }[] = [];
  #pending: Pending[] = [];

  private constructor(
    fixture: Fixture,
    clock: ManualClock,
    broker: Broker,
    open: () => Promise<Broker>,
    isDurable: boolean,
  ) {
    this.#isDurable = isDurable;
    this.#fixture = fixture;
    this.#clock = clock;
    this.#broker = broker;
    this.#open = open;
    this.#targets = targetsOf(fixture);
    this.#sources = sourcesOf();
    this.#listen();
  }

  /** Creates a broker with the fixture's entities, in memory or on the given storages. */
  static async open(fixture: Fixture, openStorage: OpenStorage | undefined): Promise<EngineEnvironment> {
    const clock = createManualClock(new Date(startMs));
    const open = async () =>
      openStorage === undefined
        ? createBroker({ clock })
        : openBroker({ clock, storage: await openStorage() });
    const broker = await open();
    for (const planned of planNet(fixture)) {
      if (planned.kind === "queue") await broker.createQueue(planned.path, planned.options);
      else if (planned.kind === "topic") await broker.createTopic(planned.path, planned.options);
      else {
        const { topic, name, options, rules } = planned;
        const [first, ...others] = rules;
        await broker.createSubscription(topic, name, options, first);
        for (const rule of others) await broker.createRule(topic, name, rule);
      }
    }
    return new EngineEnvironment(fixture, clock, broker, open, openStorage !== undefined);
  }

  async play(command: Command): Promise<unknown> {
    try {
      return await this.#run(command);
    } catch (error) {
      if (error instanceof BrokerError) return { refused: error.code };
      throw error;
    }
  }

  async observe(): Promise<unknown> {
    const ended = await this.#reportPending();
    const pushed = this.#consumers.map(({ path, receiver, inbox, refused }) => {
      return { views: this.#keep(path, receiver, inbox.splice(0)), refused };
    });
    return { ended, pushed, ...describeSnapshot(this.#broker.snapshot()) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#broker.close();
  }

  /** The results of the calls that ended since the last time, in the order in which they began. */
  async #reportPending(): Promise<unknown> {
    // Responses are sent when changes are durable: after one more durable change, all earlier calls have responses.
    if (this.#isDurable) await this.#broker.updateEntity("topic", {});
    // After this turn, all promises that are settled now have run their callbacks.
    await new Promise((resolve) => setImmediate(resolve));
    const ended = this.#pending.filter(({ describe }) => describe !== undefined);
    this.#pending = this.#pending.filter(({ describe }) => describe === undefined);
    return ended.map(({ describe }) => describe?.());
  }

  async #run(command: Command): Promise<unknown> {
    const broker = this.#broker;
    const nowMs = this.#clock.now();
    switch (command.do) {
      case "send":
      case "sendVia":
        return this.#send(command, undefined);
      case "reset":
        return broker.reset();
      case "fill":
        return broker.faults.fill(this.#target(command.to));
      case "repeatDeliveries":
        return broker.faults.duplicateDeliveries(this.#target(command.to), command.count);
      case "throttle":
        return broker.faults.throttle(this.#source(command.from), command.count);
      case "loseLock": {
        const kept = at(this.#kept, command.receipt);
        return kept && broker.faults.loseLock(kept.path, kept.message);
      }
      case "dropLinks":
        return broker.faults.dropLinks(this.#source(command.from));
      case "clearFaults":
        return broker.faults.clear();
      case "sendLater":
        return broker
          .sender(this.#target(command.to))
          .send(toMessage(command.message, nowMs + command.delayMs));
      case "schedule":
        return this.#schedule(command, undefined);
      case "cancel": {
        const ticket = at(this.#tickets, command.ticket);
        return ticket && broker.sender(ticket.path).cancelScheduled([ticket.sequence]);
      }
      case "receive": {
        const { count, mode, maxWaitMs } = command;
        const path = this.#source(command.from);
        const receive = async () => {
          const receiver = broker.receiver(path, { mode });
          return { receiver, messages: await receiver.receive(count, { maxWaitMs }) };
        };
        this.#await(receive(), ({ receiver, messages }) => this.#keep(path, receiver, messages));
        return undefined;
      }
      case "receiveDeferred": {
        const picks = command.receipts.flatMap((index) => at(this.#kept, index) ?? []);
        const [first] = picks;
        if (first === undefined) return undefined;
        const sequences = [...new Set(picks.map(({ message }) => message.sequenceNumber))];
        const inSession = this.#held.find(({ receiver }) => receiver === first.receiver);
        const receiver = inSession?.receiver ?? broker.receiver(first.path, { mode: command.mode });
        return this.#keep(first.path, receiver, await receiver.receiveDeferred(sequences));
      }
      case "settle": {
        const kept = at(this.#kept, command.receipt);
        return kept && settle(kept, command.how, command.changes, undefined);
      }
      case "renew": {
        const kept = at(this.#kept, command.receipt);
        return kept && (await kept.receiver.renewLock(kept.message)).getTime();
      }
      case "peek": {
        const { start, session } = command;
        const options = {
          fromSequenceNumber: BigInt(start),
          sessionId: session === "" ? undefined : session,
        };
        const peeked = await broker.receiver(this.#source(command.from)).peek(command.count, options);
        return peeked.map(viewOf);
      }
      case "acceptSession": {
        const path = this.#source(command.from);
        const receiver = await broker.acceptSession(path, { sessionId: command.session, mode: command.mode });
        return this.#hold(path, receiver);
      }
      case "acceptNextSession": {
        const path = this.#source(command.from);
        const { mode, maxWaitMs } = command;
        this.#await(broker.acceptSession(path, { mode, maxWaitMs }), (receiver) =>
          this.#hold(path, receiver),
        );
        return undefined;
      }
      case "deleteMessages": {
        const receiver = broker.receiver(this.#source(command.from));
        return receiver.deleteBatch(command.count, { enqueuedBefore: new Date(nowMs - command.ageMs) });
      }
      case "advance":
        this.#clock.advance(command.ms);
        return undefined;
      case "update":
        await broker.updateEntity(command.entity, command.changes);
        return undefined;
      case "delete":
        return broker.deleteEntity(command.queue);
      case "create":
        await broker.createQueue(command.queue, queueOptionsOf(this.#fixture, command.queue));
        return undefined;
      case "purge":
        return broker.purge(this.#source(command.from));
      case "addRule": {
        const { name, expression } = command;
        return broker.createRule(ruledTopic, ruledName, { name, filter: { type: "sql", expression } });
      }
      case "removeRule":
        return broker.deleteRule(ruledTopic, ruledName, command.name);
      case "restart":
        return this.#restart();
      case "consume":
        return this.#consume(this.#source(command.from), command.mode);
      case "begin":
        this.#transactions.push(broker.beginTransaction());
        return undefined;
      default:
        if ("hold" in command) return this.#runInSession(command);
        return "consumer" in command ? this.#runConsumer(command) : this.#runTransaction(command);
    }
  }

  async #restart(): Promise<void> {
    await this.#broker.close();
    this.#broker = await this.#open();
    this.#listen();
    this.#kept.length = 0;
    this.#held.length = 0;
    this.#consumers.length = 0;
    this.#transactions.length = 0;
  }

  #listen(): void {
    this.#broker.onEvent(({ type, detail }) => {
      this.events.add(type === "dead-lettered" ? `${type} ${detail}` : type);
    });
  }

  #consume(path: string, mode: Mode): void {
    const receiver = this.#broker.receiver(path, { mode });
    const inbox: BrokerReceivedMessage[] = [];
    const pushed: Pushed = {
      path,
      receiver,
      inbox,
      refused: undefined,
      consumer: receiver.consume({
        onMessage: (message) => inbox.push(message),
        onClosed: (error) => {
          pushed.refused = (error as BrokerError).code;
        },
      }),
    };
    this.#consumers.push(pushed);
  }

  #runConsumer(command: Command & { readonly consumer: number }): unknown {
    const consumer = at(this.#consumers, command.consumer)?.consumer;
    if (consumer === undefined) return undefined;
    if (command.do === "grant") return consumer.grant(command.credit);
    return command.do === "drain" ? consumer.drain() : consumer.close();
  }

  #send(
    command: Command & { readonly do: "send" | "sendVia" | "sendIn" | "sendViaIn" },
    transaction: Transaction | undefined,
  ): Promise<void> {
    const via = "via" in command ? command.via : undefined;
    const messages = command.messages.map((each) => toMessage(each));
    return this.#broker.sender(this.#target(command.to), { via }).sendBatch(messages, transaction);
  }

  async #schedule(
    { to, message, delayMs }: Command & { readonly do: "schedule" | "scheduleIn" },
    transaction: Transaction | undefined,
  ): Promise<number> {
    const path = this.#target(to);
    const scheduled = toMessage(message, this.#clock.now() + delayMs);
    const [sequence = -1n] = await this.#broker.sender(path).schedule([scheduled], transaction);
    this.#tickets.push({ path, sequence });
    return Number(sequence);
  }

  async #runTransaction(command: Command & { readonly transaction: number }): Promise<unknown> {
    const transaction = at(this.#transactions, command.transaction);
    if (transaction === undefined) return undefined;
    switch (command.do) {
      case "sendIn":
      case "sendViaIn":
        return this.#send(command, transaction);
      case "scheduleIn":
        return this.#schedule(command, transaction);
      case "settleIn": {
        const kept = at(this.#kept, command.receipt);
        return kept && settle(kept, command.how, command.changes, transaction);
      }
      case "commit":
        return transaction.commit();
      case "rollBack":
        return transaction.rollBack();
    }
  }

  async #runInSession(command: Command & { readonly hold: number }): Promise<unknown> {
    const held = at(this.#held, command.hold);
    if (held === undefined) return undefined;
    const { path, receiver } = held;
    switch (command.do) {
      case "receiveFromSession": {
        const received = receiver.receive(command.count, { maxWaitMs: command.maxWaitMs });
        this.#await(received, (messages) => this.#keep(path, receiver, messages));
        return undefined;
      }
      case "renewSession":
        return (await receiver.renewSessionLock()).getTime();
      case "closeSession":
        return receiver.close();
      case "setSessionState":
        return receiver.setState(
          command.state === null ? undefined : new TextEncoder().encode(command.state),
        );
      case "getSessionState": {
        const state = await receiver.getState();
        return state === undefined ? null : new TextDecoder().decode(state);
      }
    }
  }

  /** Records a call that may wait. A call that is refused without waiting rejects at once and is reported like all others. */
  #await<Result>(call: Promise<Result>, describe: (result: Result) => unknown): void {
    const pending: Pending = { describe: undefined };
    this.#pending.push(pending);
    call.then(
      (result) => {
        pending.describe = () => describe(result);
      },
      (error: unknown) => {
        if (!(error instanceof BrokerError)) throw error;
        pending.describe = () => ({ refused: error.code });
      },
    );
  }

  #keep(path: string, receiver: MessageReceiver, messages: readonly BrokerReceivedMessage[]): MessageView[] {
    for (const message of messages) this.#kept.push({ path, message, receiver });
    return messages.map(viewOf);
  }

  #hold(path: string, receiver: BrokerSessionReceiver): unknown {
    this.#held.push({ path, receiver });
    return { sessionId: receiver.sessionId };
  }

  #source(index: number): string {
    return at(this.#sources, index) as string;
  }

  #target(index: number): string {
    return at(this.#targets, index) as string;
  }
}

function settle(
  { receiver, message }: Kept,
  how: Settlement,
  propertiesToModify: NaiveProperties | undefined,
  transaction: Transaction | undefined,
): Promise<void> {
  if (how === "complete") return receiver.complete(message, transaction);
  if (how === "deadLetter") return receiver.deadLetter(message, { propertiesToModify }, transaction);
  return receiver[how](message, propertiesToModify, transaction);
}
