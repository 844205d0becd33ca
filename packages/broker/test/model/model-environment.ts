import { compileRule, type RuleDefinition } from "../../src/rules/rule.js";
import type { Command, CommandMessage, Fixture } from "./command.js";
import type { Environment } from "./history.js";
import {
  begin,
  cancelScheduled,
  changeRules,
  clearFaults,
  closeSession,
  consume,
  createQueue,
  createSubscription,
  createTopic,
  deleteEntity,
  deleteMessages,
  dropLinks,
  fill,
  getSessionState,
  loseLock,
  peek,
  purge,
  receive,
  receiveDeferred,
  receiveFromSession,
  renewLock,
  renewSession,
  repeatDeliveries,
  reset,
  schedule,
  send,
  sendVia,
  setSessionState,
  settle,
  throttle,
} from "./naive-broker.js";
import { restart, updateEntity } from "./naive-entities.js";
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
import { commit, rollBack, scheduleIn, sendIn, settleIn } from "./naive-settling.js";
import { createState } from "./naive-state.js";
import { advance } from "./naive-timers.js";
import { describeAll } from "./naive-view.js";
import { acceptNextSession, acceptSession, closeConsumer, drain, grant, serve } from "./naive-waits.js";
import { planNet, queueOptionsOf, ruledName, ruledTopic, sourcesOf, targetsOf } from "./net.js";

/** The time at which every history starts. */
export const startMs = Date.UTC(2024, 0, 1);

const ruled = `${ruledTopic}/Subscriptions/${ruledName}`;

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
  readonly #state = createState(startMs);
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
      if (planned.kind === "queue") createQueue(this.#state, planned.path, planned.options);
      else if (planned.kind === "topic") createTopic(this.#state, planned.path, planned.options);
      else {
        if (planned.name === ruledName) this.#rules = [...planned.rules];
        const rules = planned.rules.map(compileRule);
        createSubscription(this.#state, planned.topic, planned.name, planned.options, rules);
      }
    }
  }

  play(command: Command): unknown {
    try {
      return this.#run(command);
    } catch (error) {
      if (error instanceof NaiveRefusal) return { refused: error.code };
      throw error;
    } finally {
      // A message scheduled for a past time is enqueued before waiting receivers get messages. A refused command may have an effect, too: a
      // deferred message whose time to live is over expires when it is requested.
      advance(this.#state, 0);
      serve(this.#state);
    }
  }

  observe(): unknown {
    const ended = this.#reportPending();
    const pushed = this.#consumers.map(({ path, consumer }) => {
      const receipts = consumer.inbox;
      consumer.inbox = [];
      return { views: this.#keep(path, receipts, undefined), refused: consumer.refusal?.code };
    });
    return { ended, pushed, ...describeAll(this.#state) };
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
    const state = this.#state;
    switch (command.do) {
      case "send":
        return send(state, this.#target(command.to), command.messages.map(unscheduled));
      case "sendVia":
        return sendVia(state, command.via, this.#target(command.to), command.messages.map(unscheduled));
      case "reset":
        return reset(state);
      case "fill":
        return fill(state, this.#target(command.to));
      case "repeatDeliveries":
        return repeatDeliveries(state, this.#target(command.to), command.count);
      case "throttle":
        return throttle(state, this.#source(command.from), command.count);
      case "loseLock": {
        const kept = at(this.#kept, command.receipt);
        return kept && loseLock(state, kept.receipt);
      }
      case "dropLinks":
        return dropLinks(state, this.#source(command.from));
      case "clearFaults":
        return clearFaults(state);
      case "sendLater":
        return send(state, this.#target(command.to), [this.#scheduled(command)]);
      case "schedule": {
        const path = this.#target(command.to);
        return this.#ticket(path, schedule(state, path, this.#scheduled(command)));
      }
      case "cancel": {
        const ticket = at(this.#tickets, command.ticket);
        return ticket && cancelScheduled(state, ticket.path, ticket.sequence);
      }
      case "receive": {
        const { count, mode, maxWaitMs } = command;
        const path = this.#source(command.from);
        this.#await(path, mode, undefined, () => receive(state, path, count, mode, maxWaitMs));
        return undefined;
      }
      case "receiveDeferred": {
        const picks = command.receipts.flatMap((index) => at(this.#kept, index) ?? []);
        const [first] = picks;
        if (first === undefined) return undefined;
        const sequences = [...new Set(picks.map(({ receipt }) => receipt.message.sequence))];
        const { path, held } = first;
        const mode = held?.mode ?? command.mode;
        return this.#keep(path, receiveDeferred(state, path, sequences, mode, held?.hold), held);
      }
      case "settle": {
        const kept = at(this.#kept, command.receipt);
        return kept && settle(state, kept.receipt, command.how, command.changes ?? {});
      }
      case "renew": {
        const kept = at(this.#kept, command.receipt);
        return kept && renewLock(state, kept.receipt);
      }
      case "peek": {
        const session = command.session === "" ? undefined : command.session;
        return peek(state, this.#source(command.from), command.start, command.count, session);
      }
      case "acceptSession": {
        const path = this.#source(command.from);
        return this.#hold({ path, mode: command.mode, hold: acceptSession(state, path, command.session) });
      }
      case "acceptNextSession": {
        const path = this.#source(command.from);
        this.#await(path, command.mode, undefined, () => acceptNextSession(state, path, command.maxWaitMs));
        return undefined;
      }
      case "deleteMessages":
        return deleteMessages(state, this.#source(command.from), command.count, state.nowMs - command.ageMs);
      case "advance":
        return advance(state, command.ms);
      case "update":
        return updateEntity(state, command.entity, command.changes);
      case "delete":
        return deleteEntity(state, command.queue);
      case "create":
        return createQueue(state, command.queue, queueOptionsOf(this.#fixture, command.queue));
      case "purge":
        return purge(state, this.#source(command.from));
      case "addRule":
      case "removeRule":
        return this.#changeRules(command);
      case "restart":
        restart(state);
        this.#kept.length = 0;
        this.#held.length = 0;
        this.#consumers.length = 0;
        this.#transactions.length = 0;
        return undefined;
      case "consume": {
        const path = this.#source(command.from);
        this.#consumers.push({ path, consumer: consume(state, path, command.mode) });
        return undefined;
      }
      case "begin":
        this.#transactions.push(begin(state));
        return undefined;
      default:
        if ("hold" in command) return this.#runInSession(command);
        return "consumer" in command ? this.#runConsumer(command) : this.#runTransaction(command);
    }
  }

  #runConsumer(command: Command & { readonly consumer: number }): unknown {
    const consumer = at(this.#consumers, command.consumer)?.consumer;
    if (consumer === undefined) return undefined;
    if (command.do === "grant") return grant(this.#state, consumer, command.credit);
    if (command.do === "drain") return drain(this.#state, consumer);
    return closeConsumer(this.#state, consumer);
  }

  #runTransaction(command: Command & { readonly transaction: number }): unknown {
    const transaction = at(this.#transactions, command.transaction);
    if (transaction === undefined) return undefined;
    switch (command.do) {
      case "sendIn": {
        const contents = command.messages.map(unscheduled);
        return sendIn(this.#state, transaction, this.#target(command.to), undefined, contents);
      }
      case "sendViaIn": {
        const contents = command.messages.map(unscheduled);
        return sendIn(this.#state, transaction, command.via, this.#target(command.to), contents);
      }
      case "scheduleIn": {
        const path = this.#target(command.to);
        return this.#ticket(path, scheduleIn(this.#state, transaction, path, this.#scheduled(command)));
      }
      case "settleIn": {
        const kept = at(this.#kept, command.receipt);
        return kept && settleIn(this.#state, transaction, kept.receipt, command.how, command.changes ?? {});
      }
      case "commit":
        return commit(this.#state, transaction);
      case "rollBack":
        return rollBack(transaction);
    }
  }

  #changeRules(command: Command & { readonly do: "addRule" | "removeRule" }): void {
    const { name } = command;
    changeRules(this.#state, ruled, () => {
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
        this.#await(path, mode, held, () => receiveFromSession(this.#state, hold, count, mode, maxWaitMs));
        return undefined;
      }
      case "renewSession":
        return renewSession(this.#state, hold);
      case "closeSession":
        return closeSession(this.#state, hold);
      case "setSessionState":
        return setSessionState(this.#state, hold, command.state);
      case "getSessionState":
        return getSessionState(hold);
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

  #scheduled({ message, delayMs }: { message: CommandMessage; delayMs: number }): NaiveContent {
    return { ...message, scheduledAtMs: this.#state.nowMs + delayMs };
  }

  #ticket(path: string, sequence: number): number {
    this.#tickets.push({ path, sequence });
    return sequence;
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

function unscheduled(message: CommandMessage): NaiveContent {
  return { ...message, scheduledAtMs: undefined };
}
