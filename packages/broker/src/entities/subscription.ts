import { Deadline } from "../timing/deadline.js";
import { BaseEntity, type EntityHost } from "./base-entity.js";
import type { ResolvedSubscriptionOptions } from "./entity-options.js";
import { subscriptionPath } from "./entity-path.js";
import { MessageStore } from "./message-store.js";
import { RuleSet } from "./rule-set.js";
import type { Topic } from "./topic.js";

/** A subscription with its sub-queues. */
export class Subscription extends BaseEntity<ResolvedSubscriptionOptions> {
  readonly kind = "subscription";
  readonly topic: Topic;
  readonly name: string;
  readonly idleTimer = new Deadline((nowMs) => this.engine.onIdleDue(this, nowMs));
  readonly main: MessageStore;
  readonly deadLetter: MessageStore;
  readonly transferDeadLetter: MessageStore;
  readonly rules: RuleSet;

  constructor(
    engine: EntityHost,
    id: number,
    topic: Topic,
    name: string,
    options: ResolvedSubscriptionOptions,
    nowMs: number,
  ) {
    super(engine, id, subscriptionPath(topic.path, name), options, nowMs);
    this.topic = topic;
    this.name = name;
    this.rules = new RuleSet({
      path: this.path,
      countFilters: (kind) => topic.countFilters(kind),
      onRulesChanged: () => topic.forgetCost(),
    });
    this.main = new MessageStore(engine, this, "main", options.requiresSession);
    this.deadLetter = new MessageStore(engine, this, "dead-letter");
    this.transferDeadLetter = new MessageStore(engine, this, "transfer-dead-letter");
  }

  /** As its topic. */
  get isPartitioned(): boolean {
    return this.topic.isPartitioned;
  }
}
