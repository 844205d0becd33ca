import { fileURLToPath } from "node:url";
import {
  type Broker,
  defaultSubscriptionOptions,
  defaultTopicOptions,
  type QueueOptions,
  type RuleDefinition,
  type SubscriptionOptions,
  type TopicOptions,
} from "@waybill/broker";
import {
  applyConfig,
  defaultNamespace,
  type NamespaceConfig,
  type QueueConfig,
  readBrokerConfig,
  type TopicConfig,
} from "@waybill/broker-server/config";
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

/**
 * Creates the entities of a file and those that are listed, in any order: an entity may forward to one that comes later. Rejects with `TypeError` for
 * an unknown key or target, and with `BrokerError`.
 */
export async function makeTopology(
  broker: Broker,
  { queues, topics, config }: Topology & { readonly config?: string | URL | undefined },
): Promise<void> {
  const [file] = config === undefined ? [] : await readConfig(config);
  await applyConfig(broker, {
    name: file?.name ?? defaultNamespace,
    queues: [
      ...(file?.queues ?? []),
      ...named("queues", queues).map(([name, options]) => entityOf(name, options)),
    ],
    topics: [...(file?.topics ?? []), ...named<TopicTopology>("topics", topics).map(toTopic)],
  });
}

function readConfig(file: string | URL): Promise<readonly NamespaceConfig[]> {
  const path = typeof file === "string" ? file : fileURLToPath(file);
  return readBrokerConfig(path, { emulatorDefaults: false, warn: () => {} });
}

function toTopic([name, given]: [string, TopicTopology]): TopicConfig {
  requireKnownOptions(`topic '${name}'`, given, topicNames);
  const { subscriptions, ...options } = given;
  const all = named<SubscriptionTopology>(`subscriptions of '${name}'`, subscriptions).map(
    ([subscription, asked]) => {
      requireKnownOptions(`subscription '${subscription}' of '${name}'`, asked, subscriptionNames);
      const { rules = [], ...properties } = asked;
      return { ...entityOf(subscription, properties), rules };
    },
  );
  return { ...entityOf(name, options), subscriptions: all };
}

function entityOf(name: string, options: object): QueueConfig {
  return { name, properties: options as QueueConfig["properties"] };
}

function named<Options>(
  what: string,
  entities: Readonly<Record<string, Options>> | readonly string[] = [],
): [name: string, options: Options][] {
  const isList = Array.isArray(entities);
  if (typeof entities !== "object" || (isList && entities.some((name) => typeof name !== "string")))
    throw new TypeError(`${what} must be names, or an object with the options by name: { orders: {} }.`);
  if (isList) return entities.map((name: string) => [name, {} as Options]);
  return Object.entries(entities as Readonly<Record<string, Options>>);
}
