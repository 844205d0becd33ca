import type { Engine } from "../engine/engine.js";
import { addCosts, NO_COST, type RuleCost } from "../rules/sql-filter/rule-cost.js";
import type { ResolvedTopicOptions } from "./entity-options.js";
import { IdleTimer } from "./idle-timer.js";
import { MessageStore, type Usage } from "./message-store.js";
import type { FilterKind } from "./rule-set.js";
import { Numbering } from "./sequence-number.js";
import type { Subscription } from "./subscription.js";

/** The cost of one copy, in the units of rule costs. */
const COPY_COST = 2_000;

/** A topic: it keeps scheduled messages until they are due and copies all others to its subscriptions at once. */
export class Topic {
  readonly kind = "topic";
  readonly id: number;
  readonly path: string;
  options: ResolvedTopicOptions;
  /** Usage of all its messages, including those of its subscriptions. */
  readonly usage: Usage = { bytes: 0, sizeInBytes: 0, heapBytes: 0 };
  readonly idleTimer: IdleTimer;
  readonly main: MessageStore;
  /** Messages that were sent via the topic and could not be transferred. */
  readonly transferDeadLetter: MessageStore;
  /** By lower-case name, in order of creation. */
  readonly subscriptions = new Map<string, Subscription>();
  #cost: RuleCost | undefined;
  createdAtMs: number;
  updatedAtMs: number;
  accessedAtMs: number;
  readonly numbering = new Numbering();
  isDeleted = false;
  /** Fault injection: the entity acts as if its quota were used up. */
  isFilled = false;
  /** Ids seen within the duplicate detection window, with their expiry in steady time, oldest first. */
  readonly history = new Map<string, number>();

  constructor(engine: Engine, id: number, path: string, options: ResolvedTopicOptions, nowMs: number) {
    this.id = id;
    this.path = path;
    this.options = options;
    this.createdAtMs = nowMs;
    this.updatedAtMs = nowMs;
    this.accessedAtMs = nowMs;
    this.idleTimer = new IdleTimer(engine, this);
    this.main = new MessageStore(engine, this, "main");
    this.transferDeadLetter = new MessageStore(engine, this, "transfer-dead-letter");
  }

  /** The number of filters of a kind of all its subscriptions. */
  countFilters(kind: FilterKind): number {
    let count = 0;
    for (const { rules } of this.subscriptions.values()) count += rules.count(kind);
    return count;
  }

  /** The cost of copying a message to all subscriptions. */
  get cost(): RuleCost {
    this.#cost ??= this.#addUp();
    return this.#cost;
  }

  /** Called after subscriptions or their rules changed. */
  forgetCost(): void {
    this.#cost = undefined;
  }

  #addUp(): RuleCost {
    let cost = NO_COST;
    for (const { rules } of this.subscriptions.values()) {
      cost = addCosts(cost, { fixed: COPY_COST, perKilobyte: 0 });
      if (!rules.passesAll) cost = addCosts(cost, rules.cost);
    }
    return cost;
  }
}
