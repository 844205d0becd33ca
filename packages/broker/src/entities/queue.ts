import type { Engine } from "../engine.js";
import type { ResolvedQueueOptions } from "./entity-options.js";
import { MessageStore } from "./message-store.js";

/** A queue with its sub-queues. */
export class Queue {
  readonly kind = "queue";
  readonly id: number;
  readonly path: string;
  options: ResolvedQueueOptions;
  readonly main: MessageStore;
  readonly deadLetter: MessageStore;
  readonly transferDeadLetter: MessageStore;
  readonly createdAtMs: number;
  updatedAtMs: number;
  accessedAtMs: number;
  /** The next sequence number; shared by the sub-queues, whose messages keep theirs. */
  nextSequence = 1;
  isDeleted = false;

  constructor(engine: Engine, id: number, path: string, options: ResolvedQueueOptions, nowMs: number) {
    this.id = id;
    this.path = path;
    this.options = options;
    this.createdAtMs = nowMs;
    this.updatedAtMs = nowMs;
    this.accessedAtMs = nowMs;
    this.main = new MessageStore(engine, this, "main", options.requiresSession);
    this.deadLetter = new MessageStore(engine, this, "dead-letter");
    this.transferDeadLetter = new MessageStore(engine, this, "transfer-dead-letter");
  }
}
