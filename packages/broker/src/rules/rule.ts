import {
  type BrokerCorrelationFilter,
  compileCorrelationFilter,
  countConditions,
} from "./correlation-filter.js";
import type { RuleChanges, RuleSubject } from "./evaluation/rule-subject.js";
import { beginRule } from "./evaluation/rule-work.js";
import { compileRuleAction } from "./rule-action.js";
import type { SqlParameters } from "./sql-filter/parser.js";
import { costOfConditions, noCost, type RuleCost, withAction } from "./sql-filter/rule-cost.js";
import { compileSqlFilter, type PricedFilter } from "./sql-filter/sql-filter.js";

/** A SQL text with values for its `@name` parameters. */
export interface SqlText {
  readonly expression: string;
  /** By name, ignoring case, with or without the `@`. Default: none. */
  readonly parameters?: SqlParameters | undefined;
}

/** Selects messages: a SQL predicate, conditions on properties, all or none. */
export type RuleFilter =
  | ({ readonly type: "sql" } & SqlText)
  | ({ readonly type: "correlation" } & BrokerCorrelationFilter)
  | { readonly type: "true" }
  | { readonly type: "false" };

/** A rule of a subscription: a filter and an optional action that changes selected messages. */
export interface RuleDefinition {
  /** Unique in the subscription. */
  readonly name: string;
  readonly filter: RuleFilter;
  /** Changes the copies of the messages that the filter selects. Default: none. */
  readonly action?: SqlText | undefined;
}

/** A compiled rule. Its methods throw `RuleEvaluationError`. */
export interface CompiledRule {
  readonly name: string;
  readonly hasAction: boolean;
  readonly cost: RuleCost;
  /** Whether the filter matches the message; *unknown* is no match. */
  matches(subject: RuleSubject): boolean;
  /** The action's changes together with the property `RuleName`; no changes for a rule without an action. */
  apply(subject: RuleSubject): RuleChanges;
}

/** The application property with the rule's name, set on the copies of rules with an action. */
const ruleNameProperty = "RuleName";

const noChanges: RuleChanges = Object.freeze({ system: new Map(), application: new Map() });

/** Compiles a rule, to be evaluated for every message of its topic. Throws `RuleSyntaxError` for a text with a syntax error. */
export function compileRule(definition: RuleDefinition): CompiledRule {
  const { name } = definition;
  beginRule();
  const { matches, cost } = compileFilter(definition.filter);
  if (definition.action === undefined) {
    return { name, hasAction: false, cost, matches, apply: () => noChanges };
  }
  const act = compileRuleAction(definition.action.expression, definition.action.parameters);
  return {
    name,
    hasAction: true,
    cost: withAction(cost),
    matches,
    apply: (subject) => {
      const changes = act(subject);
      const application = new Map(changes.application);
      return { system: changes.system, application: application.set(ruleNameProperty, name) };
    },
  };
}

function compileFilter(filter: RuleFilter): PricedFilter {
  switch (filter.type) {
    case "sql":
      return compileSqlFilter(filter.expression, filter.parameters);
    case "correlation":
      return { matches: compileCorrelationFilter(filter), cost: costOfConditions(countConditions(filter)) };
    case "true":
      return { matches: () => true, cost: noCost };
    case "false":
      return { matches: () => false, cost: noCost };
  }
}
