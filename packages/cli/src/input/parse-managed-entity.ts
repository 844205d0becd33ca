import { type EntityName, entityPathOf, parseEntityPath } from "@waybill/core/transport";
import { UsageError } from "../errors/usage-error.js";

/** A subscription. */
export interface SubscriptionName {
  readonly topic: string;
  readonly subscription: string;
}

/** An entity to manage: what stands alone may be a queue or a topic. */
export type ManagedEntity = { readonly queueOrTopic: string } | SubscriptionName;

/** Reads `orders` or `events/Subscriptions/billing`. Throws `UsageError`. */
export function parseManagedEntity(path: string): ManagedEntity {
  const address = parseEntityPath(path);
  if (address !== undefined && address.subQueue === undefined)
    return "queue" in address ? { queueOrTopic: address.queue } : address;
  throw new UsageError(
    `"${path}" does not name a queue, a topic or a subscription: orders, events/Subscriptions/billing.`,
  );
}

/** Reads `events/Subscriptions/billing`. Throws `UsageError`. */
export function parseSubscription(path: string): SubscriptionName {
  const entity = parseManagedEntity(path);
  if ("topic" in entity) return entity;
  throw new UsageError(`"${path}" does not name a subscription: events/Subscriptions/billing.`);
}

/** The path of an entity. */
export function pathOf(entity: ManagedEntity): string {
  return "topic" in entity ? entityPathOf(entity as EntityName) : entity.queueOrTopic;
}
