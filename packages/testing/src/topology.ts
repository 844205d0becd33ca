import {
  type Broker,
  defaultSubscriptionOptions,
  defaultTopicOptions,
  type QueueOptions,
  type RuleDefinition,
  type SubscriptionOptions,
  type TopicOptions,
} from "@waybill/broker";
import { type OptionNames, requireKnownOptions } from "@waybill/foundation";

/** A subscription of a test's namespace; without rules it receives every message. */
export interface SubscriptionTopology extends SubscriptionOptions {
  readonly rules?: readonly RuleDefinition[] | undefined;
}

/** A topic of a test's namespace. */
export interface TopicTopology extends TopicOptions {
  /** Subscriptions by name, or only their names. Default none. */
  readonly subscriptions?: Readonly<Record<string, SubscriptionTopology>> | readonly string[] | undefined;
}

/** The initial entities of a test's namespace. */
export interface Topology {
  /** Queues by name, or only their names. Default none. */
  readonly queues?: Readonly<Record<string, QueueOptions>> | readonly string[] | undefined;
  /** Topics by name, or only their names. Default none. */
  readonly topics?: Readonly<Record<string, TopicTopology>> | readonly string[] | undefined;
}

const topicNames: OptionNames<TopicTopology> = { ...defaultTopicOptions, subscriptions: true };
const subscriptionNames: OptionNames<SubscriptionTopology> = {
  ...defaultSubscriptionOptions,
  rules: true,
};

/** Creates the entities. An entity can forward only to those listed before it. Rejects with `BrokerError`. */
export async function makeTopology(broker: Broker, { queues, topics }: Topology): Promise<void> {
  for (const [name, options] of named(queues)) await broker.createQueue(name, options);
  for (const [topic, given] of named<TopicTopology>(topics)) {
    requireKnownOptions(`topic '${topic}'`, given, topicNames);
    const { subscriptions, ...options } = given;
    await broker.createTopic(topic, options);
    for (const [name, asked] of named<SubscriptionTopology>(subscriptions)) {
      requireKnownOptions(`subscription '${name}' of '${topic}'`, asked, subscriptionNames);
      const { rules = [], ...subscription } = asked;
      const [first, ...others] = rules;
      await broker.createSubscription(topic, name, subscription, first);
      for (const rule of others) await broker.createRule(topic, name, rule);
    }
  }
}

function named<Options>(
  entities: Readonly<Record<string, Options>> | readonly string[] = [],
): [name: string, options: Options | Record<string, never>][] {
  if (Array.isArray(entities)) return entities.map((name: string) => [name, {}]);
  return Object.entries(entities as Readonly<Record<string, Options>>);
}
