import { AmqpRefusal } from "../../refusals/error.js";

const SUBSCRIPTION = /^(.+)\/subscriptions\/([^/]+)$/i;

/** The topic and name in the path of a subscription. Throws `not-allowed` for an entity that has no rules. */
export function splitSubscriptionPath(path: string): { topic: string; subscription: string } {
  const [, topic, subscription] = SUBSCRIPTION.exec(path) ?? [];
  if (topic === undefined || subscription === undefined)
    throw new AmqpRefusal("amqp:not-allowed", `'${path}' is no subscription and has no rules.`);
  return { topic, subscription };
}
