import type { Engine } from "../engine/engine.js";
import type { ResolvedSubscriptionOptions } from "./entity-options.js";
import { subscriptionPath } from "./entity-path.js";
import { IdleTimer } from "./idle-timer.js";
import { MessageStore } from "./message-store.js";
import { RuleSet } from "./rule-set.js";
import { Numbering } from "./sequence-number.js";
import type { Topic } from "./topic.js";

/** A subscription with its sub-queues. */
export class Subscription {
  readonly kind = "subscription";
  readonly id: number;
  readonly topic: Topic;
  readonly name: string;
  readonly path: string;
  options: ResolvedSubscriptionOptions;
  readonly idleTimer: IdleTimer;
  readonly main: MessageStore;
  readonly deadLetter: MessageStore;
  readonly transferDeadLetter: MessageStore;
  readonly rules: RuleSet;
  createdAtMs: number;
  updatedAtMs: number;
  accessedAtMs: number;
  /** Shared with the sub-queues, where messages keep their sequence numbers. */
  readonly numbering = new Numbering();
  isDeleted = false;

  constructor(
    engine: Engine,
    id: number,
    topic: Topic,
    name: string,
    options: ResolvedSubscriptionOptions,
    nowMs: number,
  ) {
    this.id = id;
    this.topic = topic;
    this.name = name;
    this.path = subscriptionPath(topic.path, name);
    this.options = options;
    this.createdAtMs = nowMs;
    this.updatedAtMs = nowMs;
    this.accessedAtMs = nowMs;
    this.rules = new RuleSet({
      path: this.path,
      countFilters: (kind) => topic.countFilters(kind),
      onRulesChanged: () => topic.forgetCost(),
    });
    this.idleTimer = new IdleTimer(engine, this);
    this.main = new MessageStore(engine, this, "main", options.requiresSession);
    this.deadLetter = new MessageStore(engine, this, "dead-letter");
    this.transferDeadLetter = new MessageStore(engine, this, "transfer-dead-letter");
  }
}
