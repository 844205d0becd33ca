import { AmqpRefusal } from "../../refusals/error.js";

const SUBSCRIPTION = /^(.+)\/subscriptions\/([^/]+)$/i;

/** The topic and name in a subscription's path. Throws `not-allowed` for other entities, which have no rules. */
export function splitSubscriptionPath(path: string): { topic: string; subscription: string } {
  const [, topic, subscription] = SUBSCRIPTION.exec(path) ?? [];
  if (topic === undefined || subscription === undefined)
    throw new AmqpRefusal("amqp:not-allowed", `'${path}' is not a subscription and has no rules.`);
  return { topic, subscription };
}
