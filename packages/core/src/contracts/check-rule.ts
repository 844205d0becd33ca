import { WaybillError } from "../errors/error.js";
import type { CorrelationFilter, SubscriptionRule } from "./transport.js";

const correlationFields = Object.keys({
  correlationId: 0,
  messageId: 0,
  to: 0,
  replyTo: 0,
  subject: 0,
  sessionId: 0,
  replyToSessionId: 0,
  contentType: 0,
  applicationProperties: 0,
} satisfies Record<keyof CorrelationFilter, unknown>);

const ruleFields = Object.keys({ name: 0, filter: 0, action: 0 } satisfies Record<
  keyof SubscriptionRule,
  unknown
>);

/**
 * Checks a rule before a transport creates it: a rule whose misspelt condition is ignored would select too many messages. Throws
 * `operation-invalid` naming the rule, the subscription and the field.
 */
export function checkRule(rule: SubscriptionRule, entityPath: string): void {
  const { name, filter } = rule;
  const unknown =
    unknownField(rule, ruleFields) ??
    unknownField(filter, "sqlExpression" in filter ? ["sqlExpression"] : correlationFields);
  if (unknown === undefined) return;
  const text = `Rule "${String(name).slice(0, 50)}" ${unknown}.`;
  throw new WaybillError("operation-invalid", text, { entityPath });
}

function unknownField(value: object, known: readonly string[]): string | undefined {
  const unknown = Object.keys(value).find((field) => !known.includes(field));
  if (unknown === undefined) return undefined;
  return `has an unknown field "${unknown.slice(0, 50)}"; expected ${known.join(", ")}`;
}
