import { BrokerError } from "../broker-error.js";
import { checkRule } from "../rules/check-rule.js";
import { type CompiledRule, compileRule, type RuleDefinition } from "../rules/rule.js";
import { RuleSyntaxError } from "../rules/rule-error.js";
import { checkChildName } from "./entity-path.js";

/** A rule of a subscription. */
export interface SubscriptionRule {
  readonly definition: RuleDefinition;
  readonly createdAtMs: number;
}

/** The rule that every new subscription has unless it is given another. */
export const DEFAULT_RULE: RuleDefinition = Object.freeze({
  name: "$Default",
  filter: { type: "true" } as const,
});

/** The rules of one subscription, in order of creation, compiled. */
export class RuleSet {
  readonly #path: string;
  readonly #rules = new Map<string, SubscriptionRule>();
  #compiled: CompiledRule[] = [];
  /** Whether every message passes unchanged, so that no rule has to run. */
  passesAll = false;

  constructor(path: string) {
    this.#path = path;
  }

  get compiled(): readonly CompiledRule[] {
    return this.#compiled;
  }

  values(): Iterable<SubscriptionRule> {
    return this.#rules.values();
  }

  find(name: string): SubscriptionRule | undefined {
    return this.#rules.get(name.toLowerCase());
  }

  /** Adds a rule. Throws `entity-already-exists` for a name in use, `argument-error` for what is no rule or a text that breaks the grammar. */
  add(definition: RuleDefinition, nowMs: number): void {
    checkRule(definition, this.#path);
    checkChildName(definition.name);
    if (this.find(definition.name) !== undefined) {
      throw new BrokerError(
        "entity-already-exists",
        `The messaging entity '${this.#path}/Rules/${definition.name}' already exists.`,
        { entity: this.#path },
      );
    }
    this.restore({ definition: structuredClone(definition), createdAtMs: nowMs });
  }

  /** Takes a rule over as it was kept, though it may hold what is not taken any more. */
  restore(rule: SubscriptionRule): void {
    const compiled = this.#compile(rule.definition);
    this.#rules.set(rule.definition.name.toLowerCase(), rule);
    this.#compiled = [...this.#compiled, compiled];
    this.#judge();
  }

  /** Replaces the rule of the same name. Throws `rule-not-found` or `argument-error`. */
  replace(definition: RuleDefinition): void {
    checkRule(definition, this.#path);
    const rule = this.#require(definition.name);
    const compiled = this.#compile(definition);
    this.#rules.set(definition.name.toLowerCase(), { ...rule, definition: structuredClone(definition) });
    this.#compiled = this.#compiled.map((one) => (isNamed(one, definition.name) ? compiled : one));
    this.#judge();
  }

  /** Removes a rule. Throws `rule-not-found`. */
  remove(name: string): void {
    this.#require(name);
    this.#rules.delete(name.toLowerCase());
    this.#compiled = this.#compiled.filter((one) => !isNamed(one, name));
    this.#judge();
  }

  #require(name: string): SubscriptionRule {
    const rule = this.find(name);
    if (rule !== undefined) return rule;
    throw new BrokerError(
      "rule-not-found",
      `The messaging entity '${this.#path}/Rules/${name}' could not be found.`,
      {
        entity: this.#path,
      },
    );
  }

  #compile(definition: RuleDefinition): CompiledRule {
    try {
      return compileRule(definition);
    } catch (cause) {
      if (!(cause instanceof RuleSyntaxError)) throw cause;
      throw new BrokerError(
        "argument-error",
        `Rule '${definition.name}' of '${this.#path}': ${cause.message}.`,
        {
          entity: this.#path,
          cause,
        },
      );
    }
  }

  #judge(): void {
    this.passesAll = false;
    if (this.#compiled.some((rule) => rule.hasAction)) return;
    for (const { definition } of this.#rules.values())
      if (definition.filter.type === "true") this.passesAll = true;
  }
}

function isNamed(rule: CompiledRule, name: string): boolean {
  return rule.name.toLowerCase() === name.toLowerCase();
}
