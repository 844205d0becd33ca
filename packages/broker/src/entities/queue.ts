import { Deadline } from "../timing/deadline.js";
import { SendTarget } from "./base-entity.js";
import type { ResolvedQueueOptions } from "./entity-options.js";
import { MessageStore } from "./message-store.js";

/** A queue with its sub-queues. */
export class Queue extends SendTarget<ResolvedQueueOptions> {
  readonly kind = "queue";
  readonly idleTimer = new Deadline((nowMs) => this.engine.onIdleDue(this, nowMs));
  readonly main: MessageStore = new MessageStore(this.engine, this, "main", this.options.requiresSession);
  readonly deadLetter: MessageStore = new MessageStore(this.engine, this, "dead-letter");
  readonly transferDeadLetter: MessageStore = new MessageStore(this.engine, this, "transfer-dead-letter");
}
