import { AmqpMap, type AmqpValue, described, int, isTyped, timestamp } from "@waybill/amqp";
import type {
  BrokerCorrelationFilter,
  RuleConstant,
  RuleDefinition,
  RuleDescription,
  RuleFilter,
  RuleValue,
} from "@waybill/broker";
import { isTypedConstant, type SqlText } from "@waybill/broker/front-end";
import { fromAmqpValue, keyText, textOf, toAmqpValue } from "../../messages/application-properties.js";
import { correlationConditions } from "../../messages/correlation-conditions.js";
import { badRequest } from "../../refusals/error.js";
import { mapIn } from "./request.js";

const rule = 0x137_0000_0004n;
const sqlFilter = 0x13_7000_0006n;
const trueFilter = 0x13_7000_0007n;
const falseFilter = 0x13_7000_0008n;
const correlationFilter = 0x13_7000_0009n;
const emptyAction = 0x137_0000_0005n;
const sqlAction = 0x137_0000_0006n;
const compatibilityLevel = int(20);

const fieldOfWire: ReadonlyMap<string, keyof BrokerCorrelationFilter> = new Map(
  correlationConditions.map(([wire, , name]) => [wire, name]),
);

/** Reads a rule of a request. Throws `argument-error` unless it has exactly one known filter. */
export function toRuleDefinition(name: string, description: AmqpMap): RuleDefinition {
  const action = mapIn(description, "sql-rule-action");
  return {
    name,
    filter: toFilter(description),
    ...(action !== undefined && { action: toSqlText(action, "sql-rule-action") }),
  };
}

/** Encodes a rule for SDKs: described lists, always with an action and a filter. */
export function fromRuleDescription({ name, filter, action, createdAt }: RuleDescription): AmqpValue {
  return described(rule, [
    fromFilter(filter),
    action === undefined ? described(emptyAction, []) : described(sqlAction, fromSql(action.expression)),
    name,
    timestamp(createdAt),
  ]);
}

function toFilter(description: AmqpMap): RuleFilter {
  const sql = mapIn(description, "sql-filter");
  const correlation = mapIn(description, "correlation-filter");
  if (sql !== undefined && correlation === undefined) return toSqlFilter(toSqlText(sql, "sql-filter"));
  if (correlation !== undefined && sql === undefined) {
    return { type: "correlation", ...toCorrelation(correlation) };
  }
  throw badRequest("A rule has either a 'sql-filter' or a 'correlation-filter'.");
}

/** SDKs send true and false filters as these expressions. */
function toSqlFilter(text: SqlText): RuleFilter {
  const expression = text.expression.replace(/\s/g, "");
  if (expression === "1=1") return { type: "true" };
  return expression === "1=0" ? { type: "false" } : { type: "sql", ...text };
}

function toSqlText(map: AmqpMap, what: string): SqlText {
  const expression = textOf(map.get("expression"));
  if (expression === undefined) throw badRequest(`'${what}' has no 'expression'.`);
  return { expression };
}

/** An unknown condition must not be ignored: the rule would match messages that it should not. */
function toCorrelation(map: AmqpMap): BrokerCorrelationFilter {
  const filter: Record<string, unknown> = {};
  for (const [key, value] of map.entries) {
    const wire = keyText(key) ?? "";
    if (wire === "properties" || value === null) continue;
    const name = fieldOfWire.get(wire);
    if (name === undefined) throw badRequest(`A 'correlation-filter' has no '${wire.slice(0, 50)}'.`);
    filter[name] = textOf(value) ?? wrongCondition(wire);
  }
  const properties = mapIn(map, "properties");
  if (properties !== undefined) {
    filter.properties = new Map(
      properties.entries.map(([key, value]) => [
        keyText(key) ?? wrongCondition("properties"),
        toRuleValue(value),
      ]),
    );
  }
  return filter;
}

function wrongCondition(wire: string): never {
  throw badRequest(
    `'${wire}' of a 'correlation-filter' is not ${wire === "properties" ? "a map of texts" : "a string"}.`,
  );
}

/** The types of XML Schema, in which the management API lists them. */
const schemaTypes: Readonly<Record<string, string>> = {
  byte: "byte",
  short: "short",
  int: "int",
  long: "long",
  ubyte: "unsignedByte",
  ushort: "unsignedShort",
  uint: "unsignedInt",
  ulong: "unsignedLong",
};

/** Keeps the type of integers: rules are listed with the values that they were made with. */
function toRuleValue(value: AmqpValue): RuleConstant {
  const schemaType = isTyped(value) ? schemaTypes[value.type] : undefined;
  if (schemaType === undefined) return fromAmqpValue(value) as RuleConstant;
  const integer = BigInt((value as { readonly value: number | bigint }).value);
  return { type: "typed", schemaType, text: String(integer), value: integer };
}

/** A number without a type is a double. */
function fromRuleValue(constant: RuleConstant): AmqpValue {
  if (typeof constant === "number") return constant;
  if (!isTypedConstant(constant)) return toAmqpValue(constant);
  const { schemaType, value } = constant;
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return schemaType === "int" ? int(Number(value)) : toAmqpValue(value);
  return fromComparedValue(value);
}

/** AMQP has times in milliseconds. */
function fromComparedValue(value: RuleValue): AmqpValue {
  const isInstant =
    typeof value === "object" && value !== null && "type" in value && value.type === "instant";
  return isInstant ? timestamp(new Date(Number(value.ticks / 10_000n))) : toAmqpValue(value);
}

function fromFilter(filter: RuleFilter): AmqpValue {
  switch (filter.type) {
    case "true":
      return described(trueFilter, fromSql("1=1"));
    case "false":
      return described(falseFilter, fromSql("1=0"));
    case "sql":
      return described(sqlFilter, fromSql(filter.expression));
    case "correlation":
      return described(correlationFilter, fromCorrelation(filter));
  }
}

function fromSql(expression: string): AmqpValue[] {
  return [expression, compatibilityLevel];
}

function fromCorrelation(filter: BrokerCorrelationFilter): AmqpValue[] {
  const { properties = {} } = filter;
  const entries: Iterable<readonly [string, RuleConstant]> =
    properties instanceof Map ? properties : Object.entries(properties);
  return [
    ...correlationConditions.map(([, , name]) => filter[name] ?? null),
    new AmqpMap(Array.from(entries, ([name, value]) => [name, fromRuleValue(value)] as const)),
  ];
}
