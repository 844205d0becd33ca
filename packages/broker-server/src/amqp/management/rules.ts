import { stringMap } from "@waybill/amqp";
import { requestLimits } from "../../limits/request-limits.js";
import { AmqpRefusal, badRequest } from "../../refusals/error.js";
import type { ManagementReply, ManagementRequest } from "./request.js";
import { fromRuleDescription, toRuleDefinition } from "./rule-description.js";

const subscriptionForm = /^(.+)\/subscriptions\/([^/]+)$/i;
const defaultTop = 100;
const { listedRules: topLimit } = requestLimits;

/** Adds a rule to a subscription. */
export async function addRule({ broker, path, body }: ManagementRequest): Promise<ManagementReply> {
  const { topic, subscription } = splitSubscriptionPath(path);
  const description = body.optionalMap("rule-description");
  if (description === undefined) throw badRequest("The request has no 'rule-description'.");
  await broker.createRule(topic, subscription, toRuleDefinition(body.text("rule-name"), description));
  return { statusCode: 200 };
}

/** Removes a rule from a subscription. */
export async function removeRule({ broker, path, body }: ManagementRequest): Promise<ManagementReply> {
  const { topic, subscription } = splitSubscriptionPath(path);
  await broker.deleteRule(topic, subscription, body.text("rule-name"));
  return { statusCode: 200 };
}

/** Lists the rules of a subscription by page; 204 after the last page. */
export function enumerateRules({ broker, path, body }: ManagementRequest): ManagementReply {
  const { topic, subscription } = splitSubscriptionPath(path);
  const skip = body.optionalCount("skip") ?? 0;
  const top = Math.min(body.optionalCount("top") ?? defaultTop, topLimit);
  const rules = broker.listRules(topic, subscription, { skip, top });
  if (rules.length === 0) return { statusCode: 204 };
  return {
    statusCode: 200,
    body: { rules: rules.map((rule) => stringMap({ "rule-description": fromRuleDescription(rule) })) },
  };
}

/** The topic and name in a subscription's path. Throws `not-allowed` for other entities, which have no rules. */
function splitSubscriptionPath(path: string): { topic: string; subscription: string } {
  const [, topic, subscription] = subscriptionForm.exec(path) ?? [];
  if (topic === undefined || subscription === undefined)
    throw new AmqpRefusal("amqp:not-allowed", `'${path}' is not a subscription and has no rules.`);
  return { topic, subscription };
}
