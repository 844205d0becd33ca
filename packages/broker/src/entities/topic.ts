import type { Engine } from "../engine.js";
import type { ResolvedTopicOptions } from "./entity-options.js";
import { MessageStore } from "./message-store.js";
import type { Subscription } from "./subscription.js";

/** A topic: it keeps scheduled messages until they are due and hands all others to its subscriptions at once. */
export class Topic {
  readonly kind = "topic";
  readonly id: number;
  readonly path: string;
  options: ResolvedTopicOptions;
  readonly main: MessageStore;
  /** By name in lower case, in order of creation. */
  readonly subscriptions = new Map<string, Subscription>();
  readonly createdAtMs: number;
  updatedAtMs: number;
  accessedAtMs: number;
  nextSequence = 1;
  isDeleted = false;

  constructor(engine: Engine, id: number, path: string, options: ResolvedTopicOptions, nowMs: number) {
    this.id = id;
    this.path = path;
    this.options = options;
    this.createdAtMs = nowMs;
    this.updatedAtMs = nowMs;
    this.accessedAtMs = nowMs;
    this.main = new MessageStore(engine, this, "main");
  }
}
