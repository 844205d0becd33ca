import { type Broker, BrokerError } from "@waybill/broker";
import { entityOf } from "../refusals/address.js";

/** Returns the queue or topic, in lower case, that a path belongs to: itself, or the owner of a sub-queue or subscription. */
export type OwnerOf = (path: string) => string;

const SUBSCRIPTION = /\/subscriptions\/[^/]+$/;

/** Looks up owners in a broker: a path that looks like a subscription may be a queue of that name. */
export function ownersIn(broker: Broker): OwnerOf {
  return (path) => {
    const entity = entityOf(path);
    if (!SUBSCRIPTION.test(entity)) return entity;
    try {
      const description = broker.getEntity(entity);
      return description.kind === "subscription" ? description.topic.toLowerCase() : entity;
    } catch (error) {
      if (!(error instanceof BrokerError)) throw error;
      // Must not reveal whether it exists.
      return entity.replace(SUBSCRIPTION, "");
    }
  };
}
