import { BrokerError, refusal } from "../errors/broker-error.js";
import { brokerLimits } from "../errors/limits.js";
import { checkRule, sizeOfConditions } from "../rules/check-rule.js";
import { RuleSyntaxError } from "../rules/evaluation/rule-error.js";
import { type CompiledRule, compileRule, type RuleDefinition } from "../rules/rule.js";
import { addCosts, noCost, type RuleCost } from "../rules/sql-filter/rule-cost.js";
import { checkChildName } from "./entity-path.js";

/** A rule of a subscription. */
export interface SubscriptionRule {
  readonly definition: RuleDefinition;
  readonly createdAtMs: number;
  /** The id of its own record in the storage; undefined for a rule stored in the subscription's record. */
  readonly recordId?: number | undefined;
}

/** The default rule of new subscriptions. */
export const defaultRuleDefinition: RuleDefinition = Object.freeze({
  name: "$Default",
  filter: { type: "true" } as const,
});

/** How a topic's rules are counted. Like the service, true and false filters count as SQL filters. */
export type FilterKind = "sql" | "correlation";

/** Maximum number of filters of all subscriptions of a topic together. Source: "Service Bus quotas". */
const filterLimits: Readonly<Record<FilterKind, number>> = Object.freeze({
  sql: brokerLimits.sqlFiltersPerTopic,
  correlation: brokerLimits.correlationFiltersPerTopic,
});

/** What a rule set needs from its topic. */
export interface RuleSetOwner {
  readonly path: string;
  /** The topic's number of filters of a kind. */
  countFilters(kind: FilterKind): number;
  /** Called after rules were changed. */
  onRulesChanged(): void;
}

interface Rule extends SubscriptionRule {
  readonly compiled: CompiledRule;
}

/** The compiled rules of one subscription, in order of creation. */
export class RuleSet {
  readonly #owner: RuleSetOwner;
  readonly #rules = new Map<string, Rule>();
  #compiled: readonly CompiledRule[] = [];
  #own: readonly Rule[] = [];
  #byName: readonly SubscriptionRule[] | undefined;
  /** Whether every message passes unchanged, so that no rule must be evaluated. */
  passesAll = false;
  /** The cost of evaluating all rules. */
  cost: RuleCost = noCost;
  /** The size of all definitions, in UTF-16 units. */
  bytes = 0;
  readonly #counts: Record<FilterKind, number> = { sql: 0, correlation: 0 };
  #actions = 0;
  #passing = 0;

  constructor(owner: RuleSetOwner) {
    this.#owner = owner;
  }

  /** In order of creation. A returned array is never changed. */
  get compiled(): readonly CompiledRule[] {
    return this.#compiled;
  }

  values(): Iterable<SubscriptionRule> {
    return this.#rules.values();
  }

  find(name: string): SubscriptionRule | undefined {
    return this.#rules.get(name.toLowerCase());
  }

  /** Sorted by name, case-insensitively and locale-independently (by UTF-16 units). */
  get byName(): readonly SubscriptionRule[] {
    this.#byName ??= Array.from(this.#rules)
      .sort(([a], [b]) => (a < b ? -1 : Number(a > b)))
      .map(([, rule]) => rule);
    return this.#byName;
  }

  /** The rules stored in the subscription's own record. */
  get own(): readonly SubscriptionRule[] {
    return this.#own;
  }

  /** The number of filters of a kind. */
  count(kind: FilterKind): number {
    return this.#counts[kind];
  }

  /**
   * Adds a rule. Throws `entity-already-exists` for a name in use, `argument-error` for an invalid definition or a syntax error,
   * `quota-exceeded` when the topic has reached its maximum number of filters.
   */
  add(definition: RuleDefinition, nowMs: number, recordId?: number): void {
    checkRule(definition, this.#owner.path);
    checkChildName(definition.name);
    if (this.find(definition.name) !== undefined) {
      throw this.#error("entity-already-exists", definition.name, "already exists");
    }
    this.#checkLimit(definition);
    this.restore({ definition: structuredClone(definition), createdAtMs: nowMs, recordId });
  }

  /** Restores a stored rule, even if it would no longer be accepted. */
  restore({ definition, createdAtMs, recordId }: SubscriptionRule): void {
    const rule = { definition, createdAtMs, recordId, compiled: this.#compile(definition) };
    this.#rules.set(definition.name.toLowerCase(), rule);
    this.#compiled = [...this.#compiled, rule.compiled];
    this.#tally(rule, 1);
  }

  /** Replaces the rule of the same name. Throws `rule-not-found`, or like `add`. */
  replace(definition: RuleDefinition): void {
    checkRule(definition, this.#owner.path);
    const before = this.#require(definition.name);
    if (kindOf(before.definition) !== kindOf(definition)) this.#checkLimit(definition);
    const compiled = this.#compile(definition);
    const rule = { ...before, definition: structuredClone(definition), compiled };
    this.#rules.set(definition.name.toLowerCase(), rule);
    this.#compiled = this.#compiled.map((one) => (one === before.compiled ? compiled : one));
    this.#tally(before, -1);
    this.#tally(rule, 1);
  }

  /** Removes a rule and returns it. Throws `rule-not-found`. */
  remove(name: string): SubscriptionRule {
    const rule = this.#require(name);
    this.#rules.delete(name.toLowerCase());
    this.#compiled = this.#compiled.filter((one) => one !== rule.compiled);
    this.#tally(rule, -1);
    return rule;
  }

  #require(name: string): Rule {
    const rule = this.#rules.get(name.toLowerCase());
    if (rule !== undefined) return rule;
    throw this.#error("rule-not-found", name, "could not be found");
  }

  #error(code: "entity-already-exists" | "rule-not-found", name: string, what: string): BrokerError {
    const { path } = this.#owner;
    return refusal(path, code, `The messaging entity '${path}/Rules/${name}' ${what}.`);
  }

  #checkLimit(definition: RuleDefinition): void {
    const kind = kindOf(definition);
    if (this.#owner.countFilters(kind) < filterLimits[kind]) return;
    const { path } = this.#owner;
    const name = kind === "sql" ? "SQL" : kind;
    const text = `Cannot add rule '${definition.name}' to '${path}': its topic has ${filterLimits[kind]} ${name} filters, which is as many as a topic may have.`;
    throw refusal(path, "quota-exceeded", text);
  }

  #compile(definition: RuleDefinition): CompiledRule {
    try {
      return compileRule(definition);
    } catch (cause) {
      if (!(cause instanceof RuleSyntaxError)) throw cause;
      const { path: entity } = this.#owner;
      const text = `Rule '${definition.name}' of '${entity}': ${cause.message}.`;
      throw new BrokerError("argument-error", text, { entity, cause });
    }
  }

  #tally(rule: Rule, by: 1 | -1): void {
    const { definition, compiled } = rule;
    this.#byName = undefined;
    if (rule.recordId === undefined) {
      this.#own = by > 0 ? [...this.#own, rule] : this.#own.filter((one) => one !== rule);
    }
    const { fixed, perKilobyte } = compiled.cost;
    this.cost = addCosts(this.cost, { fixed: by * fixed, perKilobyte: by * perKilobyte });
    this.bytes += by * sizeOf(definition);
    this.#counts[kindOf(definition)] += by;
    if (compiled.hasAction) this.#actions += by;
    if (definition.filter.type === "true") this.#passing += by;
    this.passesAll = this.#actions === 0 && this.#passing > 0;
    this.#owner.onRulesChanged();
  }
}

function kindOf({ filter }: RuleDefinition): FilterKind {
  return filter.type === "correlation" ? "correlation" : "sql";
}

function sizeOf({ filter, action }: RuleDefinition): number {
  const text = (action?.expression.length ?? 0) + (filter.type === "sql" ? filter.expression.length : 0);
  return filter.type === "correlation" ? text + sizeOfConditions(filter) : text;
}
