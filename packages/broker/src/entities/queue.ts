import type { Engine } from "../engine/engine.js";
import type { ResolvedQueueOptions } from "./entity-options.js";
import { IdleTimer } from "./idle-timer.js";
import { MessageStore, type Usage } from "./message-store.js";
import { Numbering } from "./sequence-number.js";

/** A queue with its sub-queues. */
export class Queue {
  readonly kind = "queue";
  readonly id: number;
  readonly path: string;
  options: ResolvedQueueOptions;
  /** Usage of all its messages. */
  readonly usage: Usage = { bytes: 0, sizeInBytes: 0, heapBytes: 0 };
  readonly idleTimer: IdleTimer;
  readonly main: MessageStore;
  readonly deadLetter: MessageStore;
  readonly transferDeadLetter: MessageStore;
  createdAtMs: number;
  updatedAtMs: number;
  accessedAtMs: number;
  /** Shared with the sub-queues, where messages keep their sequence numbers. */
  readonly numbering = new Numbering();
  isDeleted = false;
  /** Fault injection: the entity acts as if its quota were used up. */
  isFilled = false;
  /** Ids seen within the duplicate detection window, with their expiry in steady time, oldest first. */
  readonly history = new Map<string, number>();

  constructor(engine: Engine, id: number, path: string, options: ResolvedQueueOptions, nowMs: number) {
    this.id = id;
    this.path = path;
    this.options = options;
    this.createdAtMs = nowMs;
    this.updatedAtMs = nowMs;
    this.accessedAtMs = nowMs;
    this.idleTimer = new IdleTimer(engine, this);
    this.main = new MessageStore(engine, this, "main", options.requiresSession);
    this.deadLetter = new MessageStore(engine, this, "dead-letter");
    this.transferDeadLetter = new MessageStore(engine, this, "transfer-dead-letter");
  }
}
