import {
  type Broker,
  BrokerError,
  type EntityDescription,
  type RuleDescription,
  type SubscriptionDescription,
} from "@waybill/broker";
import { notFound } from "../../refusals/error.js";
import type { Resource } from "./resource.js";

type TopLevel = Exclude<EntityDescription, SubscriptionDescription>;

/** The queue or topic with a path; subscriptions have other addresses. Throws `entity-not-found`. */
export function topLevelOf(broker: Broker, path: string): TopLevel {
  const entity = broker.getEntity(path);
  if (entity.kind !== "subscription") return entity;
  throw notFound(entity.path);
}

/** The subscription of a topic; a queue may have the same path. Throws `entity-not-found`. */
export function subscriptionOf(
  broker: Broker,
  { topic, name }: { readonly topic: string; readonly name: string },
): SubscriptionDescription {
  const path = `${topic}/Subscriptions/${name}`;
  const entity = broker.getEntity(path);
  if (entity.kind === "subscription") return entity;
  throw notFound(path);
}

/** A rule of a subscription. Throws `entity-not-found` or `rule-not-found`. */
export function ruleOf(
  broker: Broker,
  { topic, subscription, name }: Extract<Resource, { kind: "rule" }>,
): RuleDescription {
  const rules = broker.listRules(topic, subscription);
  const found = rules.find((rule) => rule.name.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return found;
  const entity = `${topic}/Subscriptions/${subscription}`;
  throw new BrokerError("rule-not-found", `The rule '${name}' of '${entity}' could not be found.`, {
    entity,
  });
}

/** Whether an error says that an entity or rule does not exist. */
export function isNotFound(error: unknown): boolean {
  return (
    error instanceof BrokerError && (error.code === "entity-not-found" || error.code === "rule-not-found")
  );
}
