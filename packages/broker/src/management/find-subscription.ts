import type { Engine } from "../engine/engine.js";
import { subscriptionPath } from "../entities/entity-path.js";
import type { Subscription } from "../entities/subscription.js";
import { entityNotFound } from "../errors/broker-error.js";

export function findSubscription(engine: Engine, topic: string, subscription: string): Subscription {
  const path = subscriptionPath(topic, subscription);
  const entity = engine.entities.find(path);
  if (entity?.kind !== "subscription") throw entityNotFound(path);
  return entity;
}
