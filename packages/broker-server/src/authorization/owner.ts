import { type Broker, BrokerError } from "@waybill/broker";
import { parseEntityPath } from "@waybill/broker/front-end";

/** The queue or topic, in lower case, that a path belongs to: itself, or that of a sub-queue or subscription. */
export type OwnerOf = (path: string) => string;

const SUBSCRIPTION = /\/subscriptions\/[^/]+$/;

/** The entity that a path names, without its sub-queue, in the one spelling under which it is looked up. */
export function entityKeyOf(path: string): string {
  return parseEntityPath(path).entity.toLowerCase();
}

/** Looks owners up in a broker: what looks like a subscription may be a queue of that name. */
export function ownersIn(broker: Broker): OwnerOf {
  return (path) => {
    const entity = entityKeyOf(path);
    if (!SUBSCRIPTION.test(entity)) return entity;
    try {
      const description = broker.getEntity(entity);
      return description.kind === "subscription" ? description.topic.toLowerCase() : entity;
    } catch (error) {
      if (!(error instanceof BrokerError)) throw error;
      // Whether it exists is not for everybody to know.
      return entity.replace(SUBSCRIPTION, "");
    }
  };
}
