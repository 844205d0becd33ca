import { type AuthorizationRule, type Broker, BrokerError, type EntityDescription } from "@waybill/broker";
import { entityOf } from "../refusals/address.js";
import type { SharedAccessKey } from "./shared-access-key.js";

/** The queues and topics that paths belong to, and the keys that they have themselves. */
export interface EntityOwners {
  /** The queue or topic, in lower case, that a path belongs to: itself, or the owner of a sub-queue or subscription. */
  ownerOf(path: string): string;
  /** The keys of an owner's authorization rules. */
  keysOf(owner: string): readonly SharedAccessKey[];
  /** The keys of all owners. */
  allKeys(): Iterable<SharedAccessKey>;
}

const SUBSCRIPTION = /\/subscriptions\/[^/]+$/;

/** Looks up owners in a broker: a path that looks like a subscription may be a queue of that name. */
export function ownersIn(broker: Broker): EntityOwners {
  return {
    ownerOf(path) {
      const entity = entityOf(path);
      if (!SUBSCRIPTION.test(entity)) return entity;
      const description = find(broker, entity);
      // Must not reveal whether it exists.
      if (description === undefined) return entity.replace(SUBSCRIPTION, "");
      return description.kind === "subscription" ? description.topic.toLowerCase() : entity;
    },
    keysOf(owner) {
      const description = find(broker, owner);
      if (description === undefined || description.kind === "subscription") return [];
      return description.options.authorizationRules.flatMap((rule) => toKeys(owner, rule));
    },
    *allKeys() {
      for (const [path, rule] of broker.authorizationRules()) yield* toKeys(path, rule);
    },
  };
}

function find(broker: Broker, path: string): EntityDescription | undefined {
  try {
    return broker.getEntity(path);
  } catch (error) {
    if (error instanceof BrokerError) return undefined;
    throw error;
  }
}

function toKeys(
  entity: string,
  { keyName: name, rights, primaryKey, secondaryKey }: AuthorizationRule,
): SharedAccessKey[] {
  return [primaryKey, secondaryKey].map((key) => ({ name, key, rights, entity }));
}
