import { type AuthorizationRule, type Broker, BrokerError, type EntityDescription } from "@waybill/broker";
import { entityOf } from "../refusals/address.js";
import type { SharedAccessKey } from "./shared-access-key.js";

/** The queues and topics that paths belong to, and the keys that they have themselves. */
export interface EntityOwners {
  /** The queue or topic, in lower case, that a path belongs to: itself, or the owner of a sub-queue or subscription. */
  ownerOf(path: string): string;
  /**
   * The owner that a path appears to have: the topic of what looks like a subscription, even if a queue of that name exists. Holders of the
   * topic's keys must not learn whether it does.
   */
  apparentOwnerOf(path: string): string;
  /** The keys of an owner's authorization rules. */
  keysOf(owner: string): readonly SharedAccessKey[];
  /** The keys of all owners. */
  allKeys(): Iterable<SharedAccessKey>;
}

const subscription = /\/subscriptions\/[^/]+$/;

/** Looks up owners in a broker: a path that looks like a subscription may be a queue of that name. */
export function ownersIn(broker: Broker): EntityOwners {
  return {
    ownerOf(path) {
      const entity = entityOf(path);
      if (!subscription.test(entity)) return entity;
      const description = find(broker, entity);
      return description === undefined || description.kind === "subscription" ? topicOf(entity) : entity;
    },
    apparentOwnerOf: (path) => topicOf(entityOf(path)),
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

function topicOf(entity: string): string {
  return entity.replace(subscription, "");
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
