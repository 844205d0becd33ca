import { stringMap } from "@waybill/amqp";
import { REQUEST_LIMITS } from "../../limits/request-limits.js";
import type { ManagementReply, ManagementRequest } from "./request.js";
import { fromRuleDescription } from "./rule-description.js";
import { splitSubscriptionPath } from "./subscription-path.js";

const TOP = 100;
const { listedRules: TOP_LIMIT } = REQUEST_LIMITS;

/** Lists the rules of a subscription by page; 204 after the last page. */
export function enumerateRules({ broker, path, body }: ManagementRequest): ManagementReply {
  const { topic, subscription } = splitSubscriptionPath(path);
  const skip = body.optionalCount("skip") ?? 0;
  const top = Math.min(body.optionalCount("top") ?? TOP, TOP_LIMIT);
  const rules = broker.listRules(topic, subscription, { skip, top });
  if (rules.length === 0) return { statusCode: 204 };
  return {
    statusCode: 200,
    body: { rules: rules.map((rule) => stringMap({ "rule-description": fromRuleDescription(rule) })) },
  };
}
