import type { ApplicationProperties } from "@waybill/core";
import type { CorrelationFilter, SubscriptionRule } from "@waybill/core/client";
import type { TransportRuleManager } from "@waybill/core/transport";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { UsageError } from "../../errors/usage-error.js";
import { parseSubscription } from "../../input/parse-managed-entity.js";
import { printable } from "../../output/printable.js";
import { toJson } from "../../output/to-json.js";
import { type BrokerContext, type CommonOptions, openBrokerContext } from "../action-context.js";

/** The filter and the action of a rule. */
export interface AddRuleOptions extends CommonOptions {
  readonly sql?: string;
  readonly subject?: string;
  readonly correlationId?: string;
  readonly contentType?: string;
  readonly sessionId?: string;
  readonly property?: ApplicationProperties;
  readonly action?: string;
}

/** `waybill entities rules list`. */
export async function listRules(path: string, options: CommonOptions): Promise<ExitCode> {
  return await withRules(path, options, async (rules, { terminal, abortSignal }) => {
    const all = await rules.listRules({ abortSignal });
    if (terminal.isJson) for (const rule of all) terminal.jsonLine(rule);
    else if (all.length === 0) terminal.line("no rules: the subscription gets no messages");
    else
      terminal.table(
        ["RULE", "FILTER", "ACTION"],
        all.map(({ name, filter, action }) => [name, filterText(filter), action]),
      );
  });
}

/** `waybill entities rules add`. */
export async function addRule(path: string, name: string, options: AddRuleOptions): Promise<ExitCode> {
  const rule = { name, filter: filterOf(options), action: options.action };
  return await withRules(path, options, async (rules, { terminal, abortSignal }) => {
    await rules.createRule(rule, { abortSignal });
    if (terminal.isJson) terminal.json({ subscription: path, rule: name, isThere: true });
    else terminal.line(`rule ${printable(name)} added`);
  });
}

/** `waybill entities rules remove`. */
export async function removeRule(path: string, name: string, options: CommonOptions): Promise<ExitCode> {
  return await withRules(path, options, async (rules, { terminal, abortSignal }) => {
    await rules.deleteRule(name, { abortSignal });
    if (terminal.isJson) terminal.json({ subscription: path, rule: name, isThere: false });
    else terminal.line(`rule ${printable(name)} removed`);
  });
}

async function withRules(
  path: string,
  options: CommonOptions,
  work: (rules: TransportRuleManager, context: BrokerContext) => Promise<void>,
): Promise<ExitCode> {
  const { topic, subscription } = parseSubscription(path);
  await using context = await openBrokerContext(options);
  const rules = context.transport.createRuleManager(topic, subscription);
  try {
    await work(rules, context);
  } finally {
    await rules.close();
  }
  return exitCodes.ok;
}

function filterOf({
  sql,
  subject,
  correlationId,
  contentType,
  sessionId,
  property,
}: AddRuleOptions): SubscriptionRule["filter"] {
  const conditions: CorrelationFilter = {
    subject,
    correlationId,
    contentType,
    sessionId,
    applicationProperties: property,
  };
  const hasConditions = Object.values(conditions).some((condition) => condition !== undefined);
  if ((sql !== undefined) === hasConditions)
    throw new UsageError("Give --sql, or properties that must be equal: --subject, --property and so on.");
  return sql === undefined ? conditions : { sqlExpression: sql };
}

function filterText(filter: SubscriptionRule["filter"]): string {
  if ("sqlExpression" in filter) return filter.sqlExpression;
  const { applicationProperties = {}, ...conditions } = filter;
  return Object.entries({ ...conditions, ...applicationProperties })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} = ${toJson(value)}`)
    .join(" and ");
}
