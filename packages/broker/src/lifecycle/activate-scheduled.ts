import type { Engine } from "../engine/engine.js";
import type { Queue } from "../entities/queue.js";
import type { Topic } from "../entities/topic.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { takeOut } from "./place-message.js";
import { routeMessage, transitOf } from "./route-message.js";

/** Enqueues a scheduled message whose time has come; it gets a new sequence number. */
export function activateScheduled(engine: Engine, message: StoredMessage, nowMs: number): void {
  takeOut(engine, message);
  engine.emit("activated", message, nowMs);
  const lifeMs = message.content.timeToLiveMs ?? Number.POSITIVE_INFINITY;
  const transit = { ...transitOf(message), wasScheduled: true };
  // What was forwarded here has its first number, and the life that the entities on its way left it.
  const own = message.hops > 0 ? transit : { ...transit, enqueuedSequence: undefined, lifeMs };
  routeMessage(engine, message.store.owner as Queue | Topic, own, nowMs);
}
