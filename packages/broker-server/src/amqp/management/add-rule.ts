import { badRequest } from "../../refusals/error.js";
import type { ManagementReply, ManagementRequest } from "./request.js";
import { toRuleDefinition } from "./rule-description.js";
import { splitSubscriptionPath } from "./subscription-path.js";

/** Adds a rule to a subscription. */
export async function addRule({ broker, path, body }: ManagementRequest): Promise<ManagementReply> {
  const { topic, subscription } = splitSubscriptionPath(path);
  const description = body.optionalMap("rule-description");
  if (description === undefined) throw badRequest("The request has no 'rule-description'.");
  await broker.createRule(topic, subscription, toRuleDefinition(body.text("rule-name"), description));
  return { statusCode: 200 };
}
