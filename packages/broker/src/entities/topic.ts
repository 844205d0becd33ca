import type { Engine } from "../engine/engine.js";
import { addCosts, NO_COST, type RuleCost } from "../rules/sql-filter/rule-cost.js";
import type { ResolvedTopicOptions } from "./entity-options.js";
import { IdleTimer } from "./idle-timer.js";
import { MessageStore, type Usage } from "./message-store.js";
import type { FilterKind } from "./rule-set.js";
import { Numbering } from "./sequence-number.js";
import type { Subscription } from "./subscription.js";

/** What one copy costs, in the unit of rules. */
const COPY_COST = 2_000;

/** A topic: it keeps scheduled messages until they are due and hands all others to its subscriptions at once. */
export class Topic {
  readonly kind = "topic";
  readonly id: number;
  readonly path: string;
  options: ResolvedTopicOptions;
  /** What all its messages take together; a topic's subscriptions included. */
  readonly usage: Usage = { bytes: 0, sizeInBytes: 0, heapBytes: 0 };
  readonly idleTimer: IdleTimer;
  readonly main: MessageStore;
  /** Keeps what was sent via the topic and could not go on. */
  readonly transferDeadLetter: MessageStore;
  /** By name in lower case, in order of creation. */
  readonly subscriptions = new Map<string, Subscription>();
  #cost: RuleCost | undefined;
  createdAtMs: number;
  updatedAtMs: number;
  accessedAtMs: number;
  readonly numbering = new Numbering();
  isDeleted = false;
  /** Set by a fault: the entity acts as if its quota were used up. */
  isFilled = false;
  /** Ids seen within the duplicate detection window with the end of their stay in steady time, oldest first. */
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

  /** How many filters of a kind its subscriptions have together. */
  countFilters(kind: FilterKind): number {
    let count = 0;
    for (const { rules } of this.subscriptions.values()) count += rules.count(kind);
    return count;
  }

  /** What handing a message to all subscriptions costs. */
  get cost(): RuleCost {
    this.#cost ??= this.#addUp();
    return this.#cost;
  }

  /** Tells that subscriptions or their rules were changed. */
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
