import { compileRule, type RuleDefinition } from "../../src/rules/rule.js";
import type { Command, CommandMessage, Fixture } from "./command.js";
import type { Environment } from "./history.js";
import { NaiveBroker } from "./naive-broker.js";
import {
  type MessageView,
  type Mode,
  type NaiveConsumer,
  type NaiveContent,
  type NaiveReceipt,
  NaiveRefusal,
  type NaiveSessionLock,
  type NaiveSessionWait,
  type NaiveTransaction,
  type NaiveWait,
} from "./naive-entity.js";
import { planNet, queueOptionsOf, RULED_NAME, RULED_TOPIC, sourcesOf, targetsOf } from "./net.js";

/** The time at which every history starts. */
export const START_MS = Date.UTC(2024, 0, 1);

const RULED = `${RULED_TOPIC}/Subscriptions/${RULED_NAME}`;

/** A delivered message that can be settled, and its receiver. */
interface Kept {
  readonly path: string;
  readonly held: Held | undefined;
  readonly receipt: NaiveReceipt;
}

/** An accepted session. */
interface Held {
  readonly path: string;
  readonly mode: Mode;
  readonly hold: NaiveSessionLock;
}

interface Pending {
  readonly path: string;
  readonly mode: Mode;
  readonly held: Held | undefined;
  readonly wait: NaiveWait | NaiveSessionWait | { readonly result: NaiveRefusal };
}

/** Runs commands on the simple model. */
export class ModelEnvironment implements Environment {
  readonly #broker = new NaiveBroker(START_MS);
  readonly #fixture: Fixture;
  readonly #targets: readonly string[];
  readonly #sources: readonly string[];
  readonly #tickets: { readonly path: string; readonly sequence: number }[] = [];
  readonly #kept: Kept[] = [];
  readonly #held: Held[] = [];
  readonly #consumers: { readonly path: string; readonly consumer: NaiveConsumer }[] = [];
  readonly #transactions: NaiveTransaction[] = [];
  #rules: RuleDefinition[] = [];
  #pending: Pending[] = [];

  constructor(fixture: Fixture) {
    this.#fixture = fixture;
    this.#targets = targetsOf(fixture);
    this.#sources = sourcesOf();
    for (const planned of planNet(fixture)) {
      if (planned.kind === "queue") this.#broker.createQueue(planned.path, planned.options);
      else if (planned.kind === "topic") this.#broker.createTopic(planned.path, planned.options);
      else {
        if (planned.name === RULED_NAME) this.#rules = [...planned.rules];
        const rules = planned.rules.map(compileRule);
        this.#broker.createSubscription(planned.topic, planned.name, planned.options, rules);
      }
    }
  }

  play(command: Command): unknown {
    try {
      const outcome = this.#run(command);
      // A message scheduled for a past time is enqueued before waiting receivers get messages.
      this.#broker.advance(0);
      this.#broker.serve();
      return outcome;
    } catch (error) {
      if (error instanceof NaiveRefusal) return { refused: error.code };
      throw error;
    }
  }

  observe(): unknown {
    const ended = this.#reportPending();
    const pushed = this.#consumers.map(({ path, consumer }) => {
      const receipts = consumer.inbox;
      consumer.inbox = [];
      return { views: this.#keep(path, receipts, undefined), refused: consumer.refusal?.code };
    });
    return { ended, pushed, ...this.#broker.snapshot() };
  }

  /** The results of the calls that ended since the last time, in the order in which they began. */
  #reportPending(): unknown {
    const ended = this.#pending.filter(({ wait }) => wait.result !== undefined);
    this.#pending = this.#pending.filter(({ wait }) => wait.result === undefined);
    return ended.map(({ path, mode, held, wait }) => {
      if (wait.result instanceof NaiveRefusal) return { refused: wait.result.code };
      if ("mode" in wait) return this.#keep(path, wait.result ?? [], held);
      return this.#hold({ path, mode, hold: wait.result as NaiveSessionLock });
    });
  }

  #run(command: Command): unknown {
    const broker = this.#broker;
    switch (command.do) {
      case "send":
        return broker.send(
          this.#target(command.to),
          command.messages.map((each) => toContent(each, undefined)),
        );
      case "sendVia":
        return broker.sendVia(
          command.via,
          this.#target(command.to),
          command.messages.map((each) => toContent(each, undefined)),
        );
      case "reset":
        return broker.reset();
      case "fill":
        return broker.fill(this.#target(command.to));
      case "repeatDeliveries":
        return broker.repeatDeliveries(this.#target(command.to), command.count);
      case "throttle":
        return broker.throttle(this.#source(command.from), command.count);
      case "loseLock": {
        const kept = at(this.#kept, command.receipt);
        return kept && broker.loseLock(kept.receipt);
      }
      case "dropLinks":
        return broker.dropLinks(this.#source(command.from));
      case "clearFaults":
        return broker.clearFaults();
      case "sendLater":
        return broker.send(this.#target(command.to), [
          toContent(command.message, broker.nowMs + command.delayMs),
        ]);
      case "schedule": {
        const path = this.#target(command.to);
        const sequence = broker.schedule(path, toContent(command.message, broker.nowMs + command.delayMs));
        this.#tickets.push({ path, sequence });
        return sequence;
      }
      case "cancel": {
        const ticket = at(this.#tickets, command.ticket);
        return ticket && broker.cancelScheduled(ticket.path, ticket.sequence);
      }
      case "receive": {
        const { count, mode, maxWaitMs } = command;
        const path = this.#source(command.from);
        this.#await(path, mode, undefined, () => broker.receive(path, count, mode, maxWaitMs));
        return undefined;
      }
      case "receiveDeferred": {
        const picks = command.receipts
          .map((index) => at(this.#kept, index))
          .filter((each) => each !== undefined);
        const [first] = picks;
        if (first === undefined) return undefined;
        const sequences = [...new Set(picks.map(({ receipt }) => receipt.message.sequence))];
        const { path, held } = first;
        const mode = held?.mode ?? command.mode;
        return this.#keep(path, broker.receiveDeferred(path, sequences, mode, held?.hold), held);
      }
      case "settle": {
        const kept = at(this.#kept, command.receipt);
        return kept && broker.settle(kept.receipt, command.how, command.changes ?? {});
      }
      case "renew": {
        const kept = at(this.#kept, command.receipt);
        return kept && broker.renewLock(kept.receipt);
      }
      case "peek": {
        const session = command.session === "" ? undefined : command.session;
        return broker.peek(this.#source(command.from), command.start, command.count, session);
      }
      case "acceptSession": {
        const path = this.#source(command.from);
        return this.#hold({ path, mode: command.mode, hold: broker.acceptSession(path, command.session) });
      }
      case "acceptNextSession": {
        const path = this.#source(command.from);
        this.#await(path, command.mode, undefined, () => broker.acceptNextSession(path, command.maxWaitMs));
        return undefined;
      }
      case "deleteMessages":
        return broker.deleteMessages(this.#source(command.from), command.count, broker.nowMs - command.ageMs);
      case "advance":
        return broker.advance(command.ms);
      case "update":
        return broker.update(command.entity, command.changes);
      case "delete":
        return broker.deleteEntity(command.queue);
      case "create":
        return broker.createQueue(command.queue, queueOptionsOf(this.#fixture, command.queue));
      case "purge":
        return broker.purge(this.#source(command.from));
      case "addRule":
      case "removeRule":
        return this.#changeRules(command);
      case "restart":
        broker.restart();
        this.#kept.length = 0;
        this.#held.length = 0;
        this.#consumers.length = 0;
        this.#transactions.length = 0;
        return undefined;
      case "consume": {
        const path = this.#source(command.from);
        this.#consumers.push({ path, consumer: broker.consume(path, command.mode) });
        return undefined;
      }
      case "begin":
        this.#transactions.push(broker.begin());
        return undefined;
      default:
        if ("hold" in command) return this.#runInSession(command);
        return "consumer" in command ? this.#runConsumer(command) : this.#runTransaction(command);
    }
  }

  #runConsumer(command: Command & { readonly consumer: number }): unknown {
    const consumer = at(this.#consumers, command.consumer)?.consumer;
    if (consumer === undefined) return undefined;
    if (command.do === "grant") return this.#broker.grant(consumer, command.credit);
    if (command.do === "drain") return this.#broker.drain(consumer);
    return this.#broker.closeConsumer(consumer);
  }

  #runTransaction(command: Command & { readonly transaction: number }): unknown {
    const transaction = at(this.#transactions, command.transaction);
    if (transaction === undefined) return undefined;
    switch (command.do) {
      case "sendIn": {
        const contents = command.messages.map((each) => toContent(each, undefined));
        return this.#broker.sendIn(transaction, this.#target(command.to), undefined, contents);
      }
      case "sendViaIn": {
        const contents = command.messages.map((each) => toContent(each, undefined));
        return this.#broker.sendIn(transaction, command.via, this.#target(command.to), contents);
      }
      case "scheduleIn": {
        const path = this.#target(command.to);
        const content = toContent(command.message, this.#broker.nowMs + command.delayMs);
        const sequence = this.#broker.scheduleIn(transaction, path, content);
        this.#tickets.push({ path, sequence });
        return sequence;
      }
      case "settleIn": {
        const kept = at(this.#kept, command.receipt);
        return kept && this.#broker.settleIn(transaction, kept.receipt, command.how, command.changes ?? {});
      }
      case "commit":
        return this.#broker.commit(transaction);
      case "rollBack":
        return this.#broker.rollBack(transaction);
    }
  }

  #changeRules(command: Command & { readonly do: "addRule" | "removeRule" }): void {
    const { name } = command;
    this.#broker.changeRules(RULED, () => {
      const isKnown = this.#rules.some((rule) => rule.name === name);
      if (isKnown === (command.do === "addRule")) {
        throw new NaiveRefusal(isKnown ? "entity-already-exists" : "rule-not-found");
      }
      if (command.do === "removeRule") this.#rules = this.#rules.filter((rule) => rule.name !== name);
      else this.#rules.push({ name, filter: { type: "sql", expression: command.expression } });
      return this.#rules.map(compileRule);
    });
  }

  #runInSession(command: Command & { readonly hold: number }): unknown {
    const held = at(this.#held, command.hold);
    if (held === undefined) return undefined;
    const { path, mode, hold } = held;
    switch (command.do) {
      case "receiveFromSession": {
        const { count, maxWaitMs } = command;
        this.#await(path, mode, held, () => this.#broker.receiveFromSession(hold, count, mode, maxWaitMs));
        return undefined;
      }
      case "renewSession":
        return this.#broker.renewSession(hold);
      case "closeSession":
        return this.#broker.closeSession(hold);
      case "setSessionState":
        return this.#broker.setSessionState(hold, command.state);
      case "getSessionState":
        return this.#broker.getSessionState(hold);
    }
  }

  /** Records a call that may wait; an error is reported like all others. */
  #await(path: string, mode: Mode, held: Held | undefined, call: () => NaiveWait | NaiveSessionWait): void {
    try {
      this.#pending.push({ path, mode, held, wait: call() });
    } catch (error) {
      if (!(error instanceof NaiveRefusal)) throw error;
      this.#pending.push({ path, mode, held, wait: { result: error } });
    }
  }

  #keep(path: string, receipts: readonly NaiveReceipt[], held: Held | undefined): MessageView[] {
    for (const receipt of receipts) this.#kept.push({ path, receipt, held });
    return receipts.map(({ view }) => view);
  }

  #hold(held: Held): unknown {
    this.#held.push(held);
    return { sessionId: held.hold.session.id };
  }

  #source(index: number): string {
    return at(this.#sources, index) as string;
  }

  #target(index: number): string {
    return at(this.#targets, index) as string;
  }
}

/** The element at an index taken modulo the length. */
export function at<Element>(elements: readonly Element[], index: number): Element | undefined {
  return elements[index % elements.length];
}

/** Sorts sessions, whose order does not matter. */
export function inOrderOfId<Session extends { readonly sessionId: string }>(
  sessions: readonly Session[],
): Session[] {
  return [...sessions].sort((a, b) => (a.sessionId < b.sessionId ? -1 : 1));
}

function toContent(message: CommandMessage, scheduledAtMs: number | undefined): NaiveContent {
  return { ...message, scheduledAtMs };
}
