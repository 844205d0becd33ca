import type { Engine } from "../engine.js";
import type { Queue } from "../entities/queue.js";
import type { Topic } from "../entities/topic.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { takeOut } from "./place-message.js";
import { routeMessage, transitOf } from "./route-message.js";

/** Enqueues a scheduled message whose time has come; it gets a new sequence number. */
export function activateScheduled(engine: Engine, message: StoredMessage, nowMs: number): void {
  takeOut(engine, message);
  engine.emit("activated", message, nowMs);
  const transit = {
    ...transitOf(message),
    enqueuedSequence: undefined,
    wasScheduled: true,
    lifeMs: message.content.timeToLiveMs ?? Number.POSITIVE_INFINITY,
  };
  routeMessage(engine, message.store.owner as Queue | Topic, transit, nowMs);
}
