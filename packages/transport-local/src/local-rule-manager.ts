import type { Broker, RuleDefinition, RuleDescription, RuleFilter } from "@waybill/broker";
import type { CorrelationFilter, SubscriptionRule } from "@waybill/core/client";
import {
  type CallOptions,
  checkRule,
  entityPathOf,
  type TransportPart,
  type TransportRuleManager,
} from "@waybill/core/transport";
import { LocalPart } from "./local-part.js";

/** Adds, removes and lists the rules of one subscription of a broker in this process. */
export class LocalRuleManager extends LocalPart implements TransportRuleManager {
  readonly #broker: Broker;
  readonly #topic: string;
  readonly #subscription: string;

  constructor(broker: Broker, topic: string, subscription: string, onClosed: (part: TransportPart) => void) {
    super(entityPathOf({ topic, subscription }), onClosed);
    this.#broker = broker;
    this.#topic = topic;
    this.#subscription = subscription;
  }

  createRule(rule: SubscriptionRule, options?: CallOptions): Promise<void> {
    return this.call(options?.abortSignal, () => {
      checkRule(rule, this.entityPath);
      return this.#broker.createRule(this.#topic, this.#subscription, toBrokerRule(rule));
    });
  }

  deleteRule(name: string, options?: CallOptions): Promise<void> {
    return this.call(options?.abortSignal, () =>
      this.#broker.deleteRule(this.#topic, this.#subscription, name),
    );
  }

  listRules(options?: CallOptions): Promise<SubscriptionRule[]> {
    return this.call(options?.abortSignal, () =>
      this.#broker.listRules(this.#topic, this.#subscription).map(fromBrokerRule),
    );
  }
}

function toBrokerRule({ name, filter, action }: SubscriptionRule): RuleDefinition {
  return {
    name,
    filter: toBrokerFilter(filter),
    action: action === undefined ? undefined : { expression: action },
  };
}

function toBrokerFilter(filter: SubscriptionRule["filter"]): RuleFilter {
  if ("sqlExpression" in filter) return { type: "sql", expression: filter.sqlExpression };
  const { applicationProperties, ...conditions } = filter;
  return { type: "correlation", ...conditions, properties: applicationProperties };
}

function fromBrokerRule({ name, filter, action }: RuleDescription): SubscriptionRule {
  return { name, filter: fromBrokerFilter(filter), action: action?.expression };
}

/** Like in the service, true and false filters are returned as SQL filters. */
function fromBrokerFilter(filter: RuleFilter): SubscriptionRule["filter"] {
  switch (filter.type) {
    case "sql":
      return { sqlExpression: filter.expression };
    case "true":
      return { sqlExpression: "1=1" };
    case "false":
      return { sqlExpression: "1=0" };
    case "correlation": {
      const { type: _, properties, ...conditions } = filter;
      const applicationProperties = properties instanceof Map ? Object.fromEntries(properties) : properties;
      return { ...conditions, applicationProperties } as CorrelationFilter;
    }
  }
}
