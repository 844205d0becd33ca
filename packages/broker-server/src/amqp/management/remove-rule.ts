import type { ManagementReply, ManagementRequest } from "./request.js";
import { splitSubscriptionPath } from "./subscription-path.js";

/** Removes a rule from a subscription. */
export async function removeRule({ broker, path, body }: ManagementRequest): Promise<ManagementReply> {
  const { topic, subscription } = splitSubscriptionPath(path);
  await broker.deleteRule(topic, subscription, body.text("rule-name"));
  return { statusCode: 200 };
}
