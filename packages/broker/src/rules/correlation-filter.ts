import { RuleSyntaxError } from "./evaluation/rule-error.js";
import { propertyName, type RuleSubject } from "./evaluation/rule-subject.js";
import { comparedValue, type RuleConstant } from "./evaluation/rule-value.js";
import type { SystemProperty } from "./evaluation/system-property.js";
import { equalValues } from "./evaluation/value-operations.js";

/**
 * Conditions on properties that must all be met. A field that is absent, undefined or null is no condition. Source: "Topic filters and
 * actions", correlation filters.
 */
export interface BrokerCorrelationFilter {
  readonly contentType?: string | null | undefined;
  readonly correlationId?: string | null | undefined;
  readonly messageId?: string | null | undefined;
  readonly replyTo?: string | null | undefined;
  readonly replyToSessionId?: string | null | undefined;
  readonly sessionId?: string | null | undefined;
  readonly subject?: string | null | undefined;
  readonly to?: string | null | undefined;
  /** Application properties by name (case-insensitive) and value; null matches a property that is null or absent. */
  readonly properties?:
    | ReadonlyMap<string, RuleConstant>
    | Readonly<Record<string, RuleConstant>>
    | undefined;
}

const fields = {
  contentType: "ContentType",
  correlationId: "CorrelationId",
  messageId: "MessageId",
  replyTo: "ReplyTo",
  replyToSessionId: "ReplyToSessionId",
  sessionId: "SessionId",
  subject: "Label",
  to: "To",
} as const satisfies Partial<Record<keyof BrokerCorrelationFilter, SystemProperty>>;

/** The conditions on broker properties that a correlation filter may have. */
export const correlationFields = Object.keys(fields) as readonly (keyof typeof fields)[];

/**
 * Compiles a correlation filter to a predicate: text is compared case-sensitively, numbers by value whatever their type. Throws
 * `RuleSyntaxError` for a filter without conditions.
 */
export function compileCorrelationFilter(filter: BrokerCorrelationFilter): (subject: RuleSubject) => boolean {
  const conditions = [...systemConditions(filter), ...applicationConditions(filter)];
  if (conditions.length === 0) {
    throw new RuleSyntaxError("filter", 0, "a correlation filter with at least one property", "none");
  }
  const [only] = conditions;
  if (only !== undefined && conditions.length === 1) return only;
  return (subject) => {
    for (const condition of conditions) if (!condition(subject)) return false;
    return true;
  };
}

/** The number of conditions of a correlation filter, at least 1. */
export function countConditions({ properties = {} }: BrokerCorrelationFilter): number {
  const own = properties instanceof Map ? properties.size : Object.keys(properties).length;
  return Object.keys(fields).length + own;
}

type Condition = (subject: RuleSubject) => boolean;

function* systemConditions(filter: BrokerCorrelationFilter): Iterable<Condition> {
  for (const [field, property] of Object.entries(fields) as [keyof typeof fields, SystemProperty][]) {
    const wanted = filter[field];
    if (wanted !== undefined && wanted !== null) yield (subject) => subject.system(property) === wanted;
  }
}

function* applicationConditions(filter: BrokerCorrelationFilter): Iterable<Condition> {
  const { properties = {} } = filter;
  for (const [key, constant] of properties instanceof Map ? properties : Object.entries(properties)) {
    const name = propertyName(key);
    const wanted = comparedValue(constant as RuleConstant);
    yield (subject) => {
      const value = subject.application(name);
      return value === undefined ? wanted === null : equalValues(value, wanted) === true;
    };
  }
}
