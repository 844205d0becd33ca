import type { BrokerCorrelationFilter, RuleConstant, RuleDefinition, RuleFilter } from "@waybill/broker";
import type { SqlText } from "@waybill/broker/front-end";
import type { ConfigNode } from "./config-node.js";
import { readConstant } from "./rule-constants.js";

/** The conditions of a correlation filter: the key in a file, the name in the broker. */
export const correlationKeys = [
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
  const name = rule.withKeys("Name", "Properties").text("Name");
  const properties = rule.get("Properties");
  if (properties === undefined) throw rule.mustBe("a rule with Properties");
  properties.withKeys("FilterType", "SqlFilter", "CorrelationFilter", "Action");
  const action = properties.get("Action");
  const filter = readFilter(properties);
  return action === undefined ? { name, filter } : { name, filter, action: readSql(action) };
}

function readFilter(properties: ConfigNode): RuleFilter {
  const type = properties.text("FilterType").toLowerCase();
  const sql = properties.get("SqlFilter");
  const correlation = properties.get("CorrelationFilter");
  switch (type) {
    case "true":
    case "false":
      return { type };
    case "sql":
      if (sql === undefined || correlation !== undefined)
        throw properties.mustBe("one with a SqlFilter only");
      return { type, ...readSql(sql) };
    case "correlation":
      if (correlation === undefined || sql !== undefined)
        throw properties.mustBe("one with a CorrelationFilter only");
      return { type, ...readCorrelation(correlation) };
    default:
      throw properties.mustBe("one with the FilterType Correlation or Sql");
  }
}

function readSql(sql: ConfigNode): SqlText {
  const expression = sql.withKeys("SqlExpression", "Parameters").text("SqlExpression");
  const parameters = readConstants(sql.get("Parameters"));
  return parameters.size === 0 ? { expression } : { expression, parameters: Object.fromEntries(parameters) };
}

function readCorrelation(filter: ConfigNode): BrokerCorrelationFilter {
  filter.withKeys(...correlationKeys.map(([key]) => key), "Properties");
  const conditions: Record<string, unknown> = {};
  for (const [key, name] of correlationKeys)
    if (filter.get(key) !== undefined && filter.get(key)?.value !== "") conditions[name] = filter.text(key);
  const properties = readConstants(filter.get("Properties"));
  return properties.size === 0 ? conditions : { ...conditions, properties };
}

function readConstants(node: ConfigNode | undefined): Map<string, RuleConstant> {
  return new Map(node?.entries().map(([key, value]) => [key, readConstant(value)]));
}
