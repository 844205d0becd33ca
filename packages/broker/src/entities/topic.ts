import type { Engine } from "../engine.js";
import type { ResolvedTopicOptions } from "./entity-options.js";
import { IdleTimer } from "./idle-timer.js";
import { MessageStore } from "./message-store.js";
import { Numbering } from "./sequence-number.js";
import type { Subscription } from "./subscription.js";

/** A topic: it keeps scheduled messages until they are due and hands all others to its subscriptions at once. */
export class Topic {
  readonly kind = "topic";
  readonly id: number;
  readonly path: string;
  options: ResolvedTopicOptions;
  /** What all its messages count together, against its quota; a topic's subscriptions included. */
  readonly usage = { bytes: 0 };
  readonly idleTimer: IdleTimer;
  readonly main: MessageStore;
  /** Keeps what was sent by way of the topic and could not go on. */
  readonly transferDeadLetter: MessageStore;
  /** By name in lower case, in order of creation. */
  readonly subscriptions = new Map<string, Subscription>();
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
}
