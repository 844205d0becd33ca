import type { ApplicationPropertyValue, EncodedMessage } from "@waybill/core";
import type { CorrelationFilter, SubscriptionRule } from "@waybill/core/transport";
import { failure } from "./reference-broker.test-support.js";

/** What filters look at. */
export interface Filtered {
  readonly message: EncodedMessage;
  readonly properties: Record<string, unknown>;
}

/** Whether a filter selects a message. Knows of SQL what the law says in it: comparisons with `>` and `=`, joined by AND. */
export function matches(filter: SubscriptionRule["filter"], subject: Filtered): boolean {
  if (!("sqlExpression" in filter)) return correlates(filter, subject);
  return filter.sqlExpression.split(" AND ").every((comparison) => {
    const parts = /^(\S+) ([=>]) ('[^']*'|\d+)$/.exec(comparison);
    if (parts === null) throw failure("operation-invalid", "The filter cannot be parsed.");
    const left = /^\d+$/.test(parts[1]!) ? Number(parts[1]) : property(parts[1]!, subject);
    const right = parts[3]!.startsWith("'") ? parts[3]!.slice(1, -1) : Number(parts[3]);
    return parts[2] === "=" ? left === right : typeof left === "number" && left > Number(right);
  });
}

function correlates(
  { applicationProperties = {}, ...named }: CorrelationFilter,
  { message, properties }: Filtered,
): boolean {
  const hasNamed = Object.entries(named).every(([name, value]) => message[name as "subject"] === value);
  return (
    hasNamed && Object.entries(applicationProperties).every(([name, value]) => properties[name] === value)
  );
}

function property(name: string, { message, properties }: Filtered): unknown {
  return name === "sys.Label" ? message.subject : properties[name];
}

/** The message after a rule's action. */
export function withAction(message: EncodedMessage, action: string | undefined): EncodedMessage {
  let subject = message.subject;
  const properties: Record<string, ApplicationPropertyValue> = { ...message.applicationProperties };
  for (const [, name, value] of action?.matchAll(/SET (\S+) = '([^']*)'/g) ?? []) {
    if (name === "sys.Label") subject = value;
    else properties[name!] = value!;
  }
  return { ...message, subject, applicationProperties: properties };
}
