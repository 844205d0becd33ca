import type { Engine } from "../engine.js";
import type { Queue } from "../entities/queue.js";
import type { Topic } from "../entities/topic.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { takeOut } from "./place-message.js";
import { routeMessage } from "./route-message.js";

/** Enqueues a scheduled message whose time has come; it gets a new sequence number. */
export function activateScheduled(engine: Engine, message: StoredMessage, nowMs: number): void {
  takeOut(engine, message);
  engine.emit("activated", message, nowMs);
  const { content, propertyChanges, hops, deadLetterSource } = message;
  const transit = { content, propertyChanges, hops, deadLetterSource, enqueuedSequence: undefined };
  routeMessage(engine, message.store.owner as Queue | Topic, transit, nowMs);
}
