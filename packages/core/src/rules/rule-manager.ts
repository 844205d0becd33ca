import type {
  CallOptions,
  CorrelationFilter,
  SqlFilter,
  SubscriptionRule,
  TransportRuleManager,
} from "../contracts/transport.js";

/** How a rule changes the copies of the messages that it selects. */
export interface SqlRuleAction {
  /** For example `SET priority = 'high'`. */
  readonly sqlExpression: string;
}

/** Dependencies of a rule manager. */
export interface RuleManagerSettings {
  readonly manager: TransportRuleManager;
  readonly topic: string;
  readonly subscription: string;
  readonly onClosed: (manager: RuleManager) => void;
}

/**
 * Manages the rules of one subscription, like `ServiceBusRuleManager` of the official SDK. Calls reject with `closed` after it or its
 * client was closed.
 */
export class RuleManager implements AsyncDisposable {
  readonly topic: string;
  readonly subscription: string;
  readonly #manager: TransportRuleManager;
  readonly #onClosed: (manager: RuleManager) => void;
  #closing: Promise<void> | undefined;

  constructor({ manager, topic, subscription, onClosed }: RuleManagerSettings) {
    this.topic = topic;
    this.subscription = subscription;
    this.#manager = manager;
    this.#onClosed = onClosed;
  }

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /**
   * Adds a rule. Rejects with `entity-already-exists` if the name is in use, with `operation-invalid` for an invalid filter or action or an
   * unknown field.
   */
  createRule(ruleName: string, filter: SqlFilter | CorrelationFilter, options?: CallOptions): Promise<void>;
  createRule(
    ruleName: string,
    filter: SqlFilter | CorrelationFilter,
    ruleAction: SqlRuleAction | undefined,
    options?: CallOptions,
  ): Promise<void>;
  createRule(
    ruleName: string,
    filter: SqlFilter | CorrelationFilter,
    third?: SqlRuleAction | CallOptions,
    fourth?: CallOptions,
  ): Promise<void> {
    if (isAction(third)) {
      const rule = { name: ruleName, filter, action: third.sqlExpression };
      return this.#manager.createRule(rule, fourth);
    }
    return this.#manager.createRule({ name: ruleName, filter }, fourth ?? third);
  }

  /** Removes a rule. Rejects with `entity-not-found` if none has that name. */
  deleteRule(ruleName: string, options?: CallOptions): Promise<void> {
    return this.#manager.deleteRule(ruleName, options);
  }

  /** The rules of the subscription, in the broker's order. */
  listRules(options?: CallOptions): Promise<SubscriptionRule[]> {
    return this.#manager.listRules(options);
  }

  /** Closes the manager. The rules stay. */
  close(): Promise<void> {
    this.#closing ??= this.#manager.close().finally(() => this.#onClosed(this));
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function isAction(third: SqlRuleAction | CallOptions | undefined): third is SqlRuleAction {
  return third !== undefined && "sqlExpression" in third;
}
