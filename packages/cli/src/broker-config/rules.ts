import type { BrokerCorrelationFilter, RuleConstant, RuleDefinition, RuleFilter } from "@waybill/broker";
import type { ConfigNode } from "./config-node.js";

/** The conditions of a correlation filter: the key in a file, the name in the broker. */
export const CORRELATION_KEYS = [
  ["ContentType", "contentType"],
  ["CorrelationId", "correlationId"],
  ["Label", "subject"],
  ["MessageId", "messageId"],
  ["ReplyTo", "replyTo"],
  ["ReplyToSessionId", "replyToSessionId"],
  ["SessionId", "sessionId"],
  ["To", "to"],
] as const satisfies readonly (readonly [string, keyof BrokerCorrelationFilter])[];

/** Reads a rule of a subscription. */
export function readRule(rule: ConfigNode): RuleDefinition {
  const name = rule.text("Name");
  const properties = rule.get("Properties");
  if (properties === undefined) throw rule.mustBe("a rule with Properties");
  const action = properties.get("Action");
  const filter = readFilter(properties);
  return action === undefined
    ? { name, filter }
    : { name, filter, action: { expression: action.text("SqlExpression") } };
}

function readFilter(properties: ConfigNode): RuleFilter {
  const type = properties.text("FilterType").toLowerCase();
  if (type === "sql") return readSqlFilter(properties);
  if (type === "true" || type === "false") return { type };
  if (type !== "correlation") throw properties.mustBe("one with the FilterType Correlation or Sql");
  const filter = properties.get("CorrelationFilter");
  if (filter === undefined) throw properties.mustBe("one with a CorrelationFilter");
  return { type: "correlation", ...readCorrelation(filter) };
}

function readSqlFilter(properties: ConfigNode): RuleFilter {
  const filter = properties.get("SqlFilter");
  if (filter === undefined) throw properties.mustBe("one with a SqlFilter");
  return { type: "sql", expression: filter.text("SqlExpression") };
}

function readCorrelation(filter: ConfigNode): BrokerCorrelationFilter {
  const conditions: Record<string, unknown> = {};
  for (const [key, name] of CORRELATION_KEYS)
    if (filter.get(key) !== undefined && filter.get(key)?.value !== "") conditions[name] = filter.text(key);
  const properties = new Map<string, RuleConstant>();
  for (const [key, node] of filter.get("Properties")?.entries() ?? []) properties.set(key, readScalar(node));
  return properties.size === 0 ? conditions : { ...conditions, properties };
}

/** Integers become bigints, which the broker compares with integers of every AMQP type. */
function readScalar(node: ConfigNode): RuleConstant {
  const { value } = node;
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === "string" || typeof value === "boolean") return value;
  throw node.mustBe("text, a number, true or false");
}
