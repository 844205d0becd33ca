import type { Broker } from "@waybill/broker";
import { nearestName } from "@waybill/foundation";
import { type EntityProperties, toKey } from "./entity-properties.js";
import type { NamespaceConfig, SubscriptionConfig } from "./namespace-config.js";

/** The properties that name other entities, which must exist first. */
const forwardOptions = ["forwardTo", "forwardDeadLetteredMessagesTo"] as const;

/**
 * Creates the entities of a namespace in a broker. Existing ones, from a data directory, get the properties and rules of the file; entities that
 * the file does not name are not changed.
 */
export async function applyConfig(broker: Broker, config: NamespaceConfig): Promise<void> {
  checkTargets(broker, config);
  const { queues, topics } = config;
  const existing = new Set(broker.entityPaths().map((path) => path.toLowerCase()));
  const forwarding: [path: string, properties: EntityProperties][] = [];
  const make = async (
    path: string,
    properties: EntityProperties,
    create: (properties: EntityProperties) => Promise<unknown>,
  ): Promise<boolean> => {
    const { forwards, rest } = withoutForwards(properties);
    const isNew = !existing.has(path.toLowerCase());
    await (isNew ? create(rest) : broker.updateEntity(path, rest));
    if (Object.keys(forwards).length > 0) forwarding.push([path, forwards]);
    return isNew;
  };
  for (const { name, properties } of queues)
    await make(name, properties, (rest) => broker.createQueue(name, rest));
  for (const { name, properties, subscriptions } of topics) {
    await make(name, properties, (rest) => broker.createTopic(name, rest));
    for (const subscription of subscriptions) {
      const path = `${name}/Subscriptions/${subscription.name}`;
      const [first] = subscription.rules;
      const isNew = await make(path, subscription.properties, (rest) =>
        broker.createSubscription(name, subscription.name, rest, first),
      );
      await applyRules(broker, name, subscription, isNew);
    }
  }
  for (const [path, forwards] of forwarding) await broker.updateEntity(path, forwards);
}

/** Throws `TypeError` that names who forwards to what will not exist. */
function checkTargets(broker: Broker, { queues, topics }: NamespaceConfig): void {
  const known = [...broker.entityPaths(), ...[...queues, ...topics].map(({ name }) => name)];
  const sources = [
    ...queues,
    ...topics.flatMap(({ name: topic, subscriptions }) =>
      subscriptions.map(({ name, properties }) => ({ name: `${topic}/Subscriptions/${name}`, properties })),
    ),
  ];
  for (const { name, properties } of sources) {
    for (const option of forwardOptions) {
      const { [option]: target } = properties;
      if (typeof target !== "string" || known.some((path) => path.toLowerCase() === target.toLowerCase()))
        continue;
      const nearest = nearestName(target, known);
      const hint = nearest === undefined ? "" : ` Did you mean '${nearest}'?`;
      throw new TypeError(`${toKey(option)} of '${name}' is '${target}', which does not exist.${hint}`);
    }
  }
}

function withoutForwards(properties: EntityProperties): {
  readonly forwards: EntityProperties;
  readonly rest: EntityProperties;
} {
  const rest: Record<string, unknown> = { ...properties };
  const forwards: Record<string, unknown> = {};
  for (const name of forwardOptions) {
    if (rest[name] !== undefined) forwards[name] = rest[name];
    delete rest[name];
  }
  return { forwards, rest };
}

async function applyRules(
  broker: Broker,
  topic: string,
  { name, rules }: SubscriptionConfig,
  isNew: boolean,
): Promise<void> {
  if (rules.length === 0) return;
  const existing = new Set(broker.listRules(topic, name).map((rule) => rule.name.toLowerCase()));
  for (const rule of isNew ? rules.slice(1) : rules) {
    await (existing.has(rule.name.toLowerCase())
      ? broker.updateRule(topic, name, rule)
      : broker.createRule(topic, name, rule));
  }
  const wanted = new Set(rules.map((rule) => rule.name.toLowerCase()));
  for (const each of existing) if (!wanted.has(each)) await broker.deleteRule(topic, name, each);
}
