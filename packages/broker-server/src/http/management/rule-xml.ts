import type {
  BrokerCorrelationFilter,
  RuleConstant,
  RuleDefinition,
  RuleDescription,
  RuleFilter,
} from "@waybill/broker";
import { type SqlText, typedText } from "@waybill/broker/front-end";
import { correlationConditions } from "../../messages/correlation-conditions.js";
import { HttpRefusal } from "../http-refusal.js";
import type { XmlElement } from "../parse-xml.js";
import type { XmlNode } from "../xml.js";
import { toTime } from "./entity-fields.js";
import { descriptionNamespace } from "./entity-xml.js";
import { fromTypedText, localName } from "./rule-values.js";

const instance = "http://www.w3.org/2001/XMLSchema-instance";
const schema = "http://www.w3.org/2001/XMLSchema";
/** .NET has types of its own, in another namespace. */
const serialization = "http://schemas.microsoft.com/2003/10/Serialization/";
const dotnetTypes: ReadonlySet<string> = new Set(["duration", "guid"]);
const compatibilityLevel: XmlNode = { name: "CompatibilityLevel", content: "20" };

/** Describes a rule like the service. */
export function toRuleXml(rule: RuleDescription): XmlNode {
  return {
    name: "RuleDescription",
    attributes: { xmlns: descriptionNamespace, "xmlns:i": instance },
    content: [
      toFilterXml(rule.filter),
      toActionXml(rule.action),
      { name: "CreatedAt", content: toTime(rule.createdAt) },
      { name: "Name", content: rule.name },
    ],
  };
}

function toFilterXml(filter: RuleFilter): XmlNode {
  const typed = (type: string, content: XmlNode[]): XmlNode => ({
    name: "Filter",
    attributes: { "i:type": type },
    content,
  });
  switch (filter.type) {
    case "true":
      return typed("TrueFilter", toSql({ expression: "1=1" }));
    case "false":
      return typed("FalseFilter", toSql({ expression: "1=0" }));
    case "sql":
      return typed("SqlFilter", toSql(filter));
    case "correlation":
      return typed("CorrelationFilter", toCorrelationXml(filter));
  }
}

function toActionXml(action: SqlText | undefined): XmlNode {
  const type = action === undefined ? "EmptyRuleAction" : "SqlRuleAction";
  return {
    name: "Action",
    attributes: { "i:type": type },
    content: action === undefined ? [] : toSql(action),
  };
}

function toSql({ expression, parameters }: SqlText): XmlNode[] {
  const entries = toEntries(parameters ?? {});
  const sql: XmlNode[] = [{ name: "SqlExpression", content: expression }, compatibilityLevel];
  return entries.length === 0 ? sql : [...sql, { name: "Parameters", content: entries }];
}

function toCorrelationXml(filter: BrokerCorrelationFilter): XmlNode[] {
  const fields = correlationConditions.flatMap(([, element, name]): XmlNode[] => {
    const value = filter[name];
    return value === undefined ? [] : [{ name: element, content: String(value) }];
  });
  return [...fields, { name: "Properties", content: toEntries(filter.properties ?? {}) }];
}

function toEntries(
  values: ReadonlyMap<string, RuleConstant> | Readonly<Record<string, RuleConstant>>,
): XmlNode[] {
  const entries = values instanceof Map ? [...values] : Object.entries(values);
  return entries.map(([key, value]) => ({
    name: "KeyValueOfstringanyType",
    content: [{ name: "Key", content: key }, toValueXml(value as RuleConstant)],
  }));
}

/** SDKs remove four characters from the type, so the prefix must have three. */
function toValueXml(value: RuleConstant): XmlNode {
  const [type, text] = typedText(value);
  const namespace = dotnetTypes.has(type) ? serialization : schema;
  return { name: "Value", attributes: { "i:type": `d6p1:${type}`, "xmlns:d6p1": namespace }, content: text };
}

/** Parses a rule. Throws if it has no known filter. */
export function fromRuleXml(name: string, description: XmlElement): RuleDefinition {
  const filter = description.child("Filter");
  const action = description.child("Action");
  return {
    name,
    filter: filter === undefined ? { type: "true" } : toFilter(filter),
    ...(action?.attribute("type") === "SqlRuleAction" && { action: toSqlText(action) }),
  };
}

function toFilter(filter: XmlElement): RuleFilter {
  switch (localName(filter.attribute("type"))) {
    case "TrueFilter":
      return { type: "true" };
    case "FalseFilter":
      return { type: "false" };
    case "SqlFilter":
      return { type: "sql", ...toSqlText(filter) };
    case "CorrelationFilter":
      return { type: "correlation", ...toCorrelation(filter) };
    default:
      throw new HttpRefusal(
        400,
        "A filter must be a SqlFilter, TrueFilter, FalseFilter or CorrelationFilter.",
      );
  }
}

function toSqlText(element: XmlElement): SqlText {
  const expression = element.child("SqlExpression")?.text;
  if (expression === undefined)
    throw new HttpRefusal(400, "A SQL filter or action must have a SqlExpression.");
  const parameters = fromEntries(element.child("Parameters"));
  return parameters.size === 0 ? { expression } : { expression, parameters: Object.fromEntries(parameters) };
}

function toCorrelation(element: XmlElement): BrokerCorrelationFilter {
  const filter: Record<string, unknown> = {};
  for (const [, name, field] of correlationConditions) {
    const text = element.child(name)?.text;
    if (text !== undefined && text !== "") filter[field] = text;
  }
  const properties = fromEntries(element.child("Properties"));
  if (properties.size > 0) filter.properties = properties;
  return filter;
}

function fromEntries(element: XmlElement | undefined): Map<string, RuleConstant> {
  const values = new Map<string, RuleConstant>();
  for (const entry of element?.children ?? []) {
    const key = entry.child("Key")?.text;
    const value = entry.child("Value");
    if (key === undefined || value === undefined)
      throw new HttpRefusal(400, "A property of a filter must have a Key and a Value.");
    values.set(key, fromTypedText(value));
  }
  return values;
}
