import type { Engine } from "../engine/engine.js";
import type { Queue } from "../entities/queue.js";
import type { Topic } from "../entities/topic.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { takeOut } from "./place-message.js";
import { routeMessage, transitOf } from "./route-message.js";

/** Enqueues a scheduled message that is due; it gets a new sequence number. */
export function activateScheduled(engine: Engine, message: StoredMessage, nowMs: number): void {
  takeOut(engine, message);
  engine.emit("activated", message, nowMs);
  const lifeMs = message.content.timeToLiveMs ?? Number.POSITIVE_INFINITY;
  const transit = { ...transitOf(message), wasScheduled: true };
  // A forwarded message keeps its first number, and the time to live left by the entities it passed.
  const own = message.hops > 0 ? transit : { ...transit, enqueuedSequence: undefined, lifeMs };
  routeMessage(engine, message.store.owner as Queue | Topic, own, nowMs);
}
