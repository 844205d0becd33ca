import type { Engine } from "../engine/engine.js";
import type { Usage } from "./message-store.js";
import { Numbering } from "./sequence-number.js";

/** What queues, topics and subscriptions have in common. */
export abstract class BaseEntity<Options> {
  readonly id: number;
  readonly path: string;
  options: Options;
  createdAtMs: number;
  updatedAtMs: number;
  accessedAtMs: number;
  /** Shared with the sub-queues, where messages keep their sequence numbers. */
  readonly numbering = new Numbering();
  isDeleted = false;
  protected readonly engine: Engine;

  constructor(engine: Engine, id: number, path: string, options: Options, nowMs: number) {
    this.engine = engine;
    this.id = id;
    this.path = path;
    this.options = options;
    this.createdAtMs = nowMs;
    this.updatedAtMs = nowMs;
    this.accessedAtMs = nowMs;
  }
}

/** What queues and topics have in common: messages are sent to them. */
export abstract class SendTarget<Options> extends BaseEntity<Options> {
  /** Usage of all its messages, for a topic including those of its subscriptions. */
  readonly usage: Usage = { bytes: 0, sizeInBytes: 0, heapBytes: 0 };
  /** Fault injection: the entity acts as if its quota were used up. */
  isFilled = false;
  /** Ids seen within the duplicate detection window, with their expiry in steady time, oldest first. */
  readonly history = new Map<string, number>();
}
