import type { Engine } from "../engine/engine.js";
import type { Entity } from "../entities/entity-registry.js";
import type { Queue } from "../entities/queue.js";
import type { Topic } from "../entities/topic.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { failDelivery } from "./end-lock.js";
import { expireMessage } from "./expire-message.js";
import { removeFromLane, takeOut } from "./place-message.js";
import { routeMessage } from "./route-message.js";
import { transitOf } from "./transit.js";

/**
 * Handles a message's timer: its lock expires, it is activated, or it expires. A message in a front end's encoding that rules may have to
 * read waits for the front end, which registers its decoder shortly after a broker was opened.
 */
export function onMessageDue(engine: Engine, message: StoredMessage, nowMs: number): void {
  if (message.content.isWire && engine.wireDecoder === undefined && goesOn(message.store.owner)) {
    engine.awaitDecoder(message);
  } else if (message.state === "scheduled") {
    activateScheduled(engine, message, nowMs);
  } else if (message.isLocked) {
    engine.emit("lock-expired", message, nowMs);
    failDelivery(engine, message, nowMs);
  } else {
    removeFromLane(message);
    expireMessage(engine, message, nowMs);
  }
}

/** Enqueues a scheduled message that is due; it gets a new sequence number. */
function activateScheduled(engine: Engine, message: StoredMessage, nowMs: number): void {
  takeOut(engine, message);
  engine.emit("activated", message, nowMs);
  const lifeMs = message.content.timeToLiveMs ?? Number.POSITIVE_INFINITY;
  const transit = { ...transitOf(message), wasScheduled: true };
  // A forwarded message keeps its first number, and the time to live left by the entities it passed.
  const own = message.hops > 0 ? transit : { ...transit, enqueuedSequence: undefined, lifeMs };
  routeMessage(engine, message.store.owner as Queue | Topic, own, nowMs);
}

/** Whether the entity forwards messages, so that they may reach a topic. */
function goesOn(owner: Entity): boolean {
  if (owner.kind === "topic") return true;
  const { forwardTo, forwardDeadLetteredMessagesTo } = owner.options;
  return forwardTo !== undefined || forwardDeadLetteredMessagesTo !== undefined;
}
