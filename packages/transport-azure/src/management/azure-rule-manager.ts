import type { CorrelationFilter, SubscriptionRule } from "@waybill/core/client";
import { type CallOptions, checkRule, type TransportRuleManager } from "@waybill/core/transport";
import { fromAmqpMap } from "../messages/from-amqp-value.js";
import { toAmqpProperties } from "../messages/to-amqp-value.js";
import { abortedError, closedError, toAzureError } from "../sdk/azure-error.js";
import type {
  CorrelationConditions,
  ServiceBusCallOptions,
  ServiceBusRuleFilter,
  ServiceBusRuleManagerLike,
} from "../sdk/service-bus-client.js";

/** Adds, removes and lists the rules of one subscription through a rule manager of the SDK. */
export class AzureRuleManager implements TransportRuleManager {
  readonly #path: string;
  readonly #create: () => ServiceBusRuleManagerLike;
  readonly #onClosed: (manager: AzureRuleManager) => void;
  #manager: ServiceBusRuleManagerLike | undefined;
  #isClosed = false;

  constructor(
    path: string,
    create: () => ServiceBusRuleManagerLike,
    onClosed: (manager: AzureRuleManager) => void,
  ) {
    this.#path = path;
    this.#create = create;
    this.#onClosed = onClosed;
  }

  createRule(rule: SubscriptionRule, options?: CallOptions): Promise<void> {
    return this.#call(options, async (manager, callOptions) => {
      checkRule(rule, this.#path);
      const { name, filter, action } = rule;
      const sqlAction = action === undefined ? undefined : { sqlExpression: action };
      // Without an action, the SDK takes the third argument as the call's options.
      return sqlAction === undefined
        ? manager.createRule(name, toServiceBusFilter(filter), undefined, callOptions)
        : manager.createRule(name, toServiceBusFilter(filter), sqlAction, callOptions);
    });
  }

  deleteRule(name: string, options?: CallOptions): Promise<void> {
    return this.#call(options, (manager, callOptions) => manager.deleteRule(name, callOptions));
  }

  listRules(options?: CallOptions): Promise<SubscriptionRule[]> {
    return this.#call(options, async (manager, callOptions) => {
      const rules: SubscriptionRule[] = [];
      // For a subscription without rules, the SDK lists one undefined rule.
      for await (const rule of manager.listRules(callOptions)) {
        if (!rule) continue;
        const { name, filter, action } = rule;
        rules.push({ name, filter: fromServiceBusFilter(filter), action: action.sqlExpression });
      }
      return rules;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#onClosed(this);
  }

  async #call<Answer>(
    { abortSignal }: CallOptions = {},
    call: (manager: ServiceBusRuleManagerLike, options: ServiceBusCallOptions) => Promise<Answer>,
  ): Promise<Answer> {
    if (this.#isClosed) throw closedError(this.#path);
    if (abortSignal?.aborted) throw abortedError(this.#path);
    try {
      this.#manager ??= this.#create();
      return await call(this.#manager, abortSignal === undefined ? {} : { abortSignal });
    } catch (error) {
      throw toAzureError(error, this.#path);
    }
  }
}

function toServiceBusFilter(filter: SubscriptionRule["filter"]): ServiceBusRuleFilter {
  if ("sqlExpression" in filter) return { sqlExpression: filter.sqlExpression };
  const { applicationProperties, ...conditions } = filter;
  return {
    ...(conditions as CorrelationConditions),
    ...(applicationProperties !== undefined && {
      applicationProperties: toAmqpProperties(applicationProperties),
    }),
  };
}

function fromServiceBusFilter(filter: ServiceBusRuleFilter): SubscriptionRule["filter"] {
  if ("sqlExpression" in filter) return { sqlExpression: filter.sqlExpression };
  // The SDK lists every condition, including unset ones.
  const conditions = Object.entries(filter).filter(([, value]) => value !== undefined && value !== null);
  const { applicationProperties, ...others } = Object.fromEntries(conditions) as CorrelationConditions;
  if (applicationProperties === undefined) return others;
  return { ...others, applicationProperties: fromAmqpMap(applicationProperties) } as CorrelationFilter;
}
