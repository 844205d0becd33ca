import { addCosts, noCost, type RuleCost } from "../rules/sql-filter/rule-cost.js";
import { Deadline } from "../timing/deadline.js";
import { SendTarget } from "./base-entity.js";
import type { ResolvedTopicOptions } from "./entity-options.js";
import { MessageStore } from "./message-store.js";
import type { FilterKind } from "./rule-set.js";
import type { Subscription } from "./subscription.js";

/** The cost of one copy, in the units of rule costs. */
const copyCost = 2_000;

/** A topic: it keeps scheduled messages until they are due and copies all others to its subscriptions at once. */
export class Topic extends SendTarget<ResolvedTopicOptions> {
  readonly kind = "topic";
  readonly idleTimer = new Deadline((nowMs) => this.engine.onIdleDue(this, nowMs));
  readonly main: MessageStore = new MessageStore(this.engine, this, "main");
  /** Messages that were sent via the topic and could not be transferred. */
  readonly transferDeadLetter: MessageStore = new MessageStore(this.engine, this, "transfer-dead-letter");
  /** By lower-case name, in order of creation. */
  readonly subscriptions = new Map<string, Subscription>();
  #cost: RuleCost | undefined;

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
    let cost = noCost;
    for (const { rules } of this.subscriptions.values()) {
      cost = addCosts(cost, { fixed: copyCost, perKilobyte: 0 });
      if (!rules.passesAll) cost = addCosts(cost, rules.cost);
    }
    return cost;
  }
}
