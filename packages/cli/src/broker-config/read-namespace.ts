import type {
  CorrelationRuleFilter,
  RuleProperties,
  ServiceBusAdministrationClient,
  SqlRuleFilter,
  SubscriptionProperties,
} from "@azure/service-bus";
import { correlationKeys, type EntityKind, optionNames, toKey } from "@waybill/broker-server/config";
import { mapInParallel } from "@waybill/foundation";
import type { ManagedEntity } from "../input/parse-managed-entity.js";
import { keepRuleTypes, type RuleValues } from "./exact-rule-values.js";

/** How a namespace is read. */
export interface ReadNamespaceOptions {
  readonly warn: (text: string) => void;
  /** Ends the reading. */
  readonly abortSignal: AbortSignal;
}

/** How many topics are read at once, and how many subscriptions of each: a namespace far away takes a round trip for each request. */
const topicsAtOnce = 32;
const subscriptionsAtOnce = 2;

/** Reads the entities of a namespace as the configuration of a broker. */
export async function readNamespace(
  client: ServiceBusAdministrationClient,
  { warn, abortSignal }: ReadNamespaceOptions,
): Promise<object> {
  const { name } = await client.getNamespaceProperties({ abortSignal });
  const form = await importForm(client, warn, abortSignal);
  const [listedQueues, listedTopics] = await Promise.all([
    all(client.listQueues({ abortSignal })),
    all(client.listTopics({ abortSignal })),
  ]);
  const queues = listedQueues.map((queue) => ({
    Name: queue.name,
    Properties: propertiesOf("queue", queue.name, queue, form),
  }));
  const topics = await mapInParallel(listedTopics, topicsAtOnce, async (topic) => ({
    Name: topic.name,
    Properties: propertiesOf("topic", topic.name, topic, form),
    Subscriptions: await readSubscriptions(client, topic.name, form),
  }));
  const namespace = { Name: name, Queues: queues, Topics: topics };
  return { UserConfig: { Namespaces: [namespace], Logging: { Type: "Console" } } };
}

/** Reads one entity as an entry of such a configuration. */
export async function readEntity(
  client: ServiceBusAdministrationClient,
  entity: ManagedEntity,
  kind: EntityKind,
  warn: (text: string) => void,
): Promise<object> {
  const form = await importForm(client, warn);
  if ("topic" in entity)
    return await subscriptionEntry(
      client,
      await client.getSubscription(entity.topic, entity.subscription),
      form,
    );
  const { queueOrTopic: path } = entity;
  const properties = kind === "queue" ? await client.getQueue(path) : await client.getTopic(path);
  return { Name: properties.name, Properties: propertiesOf(kind, path, properties, form) };
}

async function importForm(
  client: ServiceBusAdministrationClient,
  warn: ImportForm["warn"],
  abortSignal?: AbortSignal,
): Promise<ImportForm> {
  const { messagingSku } = await client.getNamespaceProperties(abortSignal && { abortSignal });
  return { isPremium: messagingSku === "Premium", warn, values: keepRuleTypes(client), abortSignal };
}

async function readSubscriptions(
  client: ServiceBusAdministrationClient,
  topic: string,
  form: ImportForm,
): Promise<object[]> {
  const listed = await all(client.listSubscriptions(topic, callOf(form)));
  return await mapInParallel(listed, subscriptionsAtOnce, (subscription) =>
    subscriptionEntry(client, subscription, form),
  );
}

async function subscriptionEntry(
  client: ServiceBusAdministrationClient,
  subscription: SubscriptionProperties,
  form: ImportForm,
): Promise<object> {
  const { topicName: topic, subscriptionName: name } = subscription;
  const path = `${topic}/Subscriptions/${name}`;
  const rules = await all(client.listRules(topic, name, callOf(form)));
  if (rules.length === 0)
    form.warn(`${path} has no rules, which a configuration cannot express: it will receive everything.`);
  const isUsual = rules.length === 1 && rules[0] !== undefined && isDefaultRule(rules[0]);
  return {
    Name: name,
    Properties: propertiesOf("subscription", path, subscription, form),
    ...(!isUsual && rules.length > 0 && { Rules: rules.map((rule) => toRule(rule, form.values)) }),
  };
}

/** How a namespace is read. */
interface ImportForm {
  /** Only entities of this tier have a maximum message size of their own. */
  readonly isPremium: boolean;
  readonly values: RuleValues;
  readonly warn: (text: string) => void;
  readonly abortSignal?: AbortSignal | undefined;
}

function callOf({ abortSignal }: ImportForm): { readonly abortSignal?: AbortSignal } {
  return abortSignal === undefined ? {} : { abortSignal };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Properties in the order of the file; the SDK's durations are ISO 8601 too. Keys stay where they are. */
function propertiesOf(
  kind: EntityKind,
  path: string,
  entity: object,
  { isPremium, warn }: ImportForm,
): Record<string, unknown> {
  const given = { ...entity } as Record<string, unknown>;
  if (((given.authorizationRules as unknown[] | undefined) ?? []).length > 0)
    warn(
      `${path} has authorization rules, whose keys are not written to a file: add AuthorizationRules there.`,
    );
  given.authorizationRules = undefined;
  if (!isPremium) given.maxMessageSizeInKilobytes = undefined;
  const properties: Record<string, unknown> = {};
  for (const option of optionNames(kind)) {
    const name = option.replace(/Ms$/, "");
    const value = given[name];
    if (value === undefined || value === "") continue;
    properties[toKey(option)] = /^forward/.test(name) ? pathOf(String(value)) : value;
  }
  return properties;
}

/** Service Bus returns the whole address of the entity to forward to. */
function pathOf(address: string): string {
  return decodeURIComponent(address.replace(/^[a-z]+:\/\/[^/]+\//i, ""));
}

function isDefaultRule({ name, filter, action }: RuleProperties): boolean {
  const { sqlExpression } = filter as SqlRuleFilter;
  return name === "$Default" && sqlExpression === "1=1" && !action?.sqlExpression;
}

function toRule({ name, filter, action }: RuleProperties, values: RuleValues): object {
  const { sqlExpression, sqlParameters } = filter as SqlRuleFilter;
  return {
    Name: name,
    Properties: {
      ...(sqlExpression === undefined
        ? {
            FilterType: "Correlation",
            CorrelationFilter: toCorrelation(filter as CorrelationRuleFilter, values),
          }
        : { FilterType: "Sql", SqlFilter: toSql(sqlExpression, sqlParameters, values) }),
      ...(action?.sqlExpression && { Action: toSql(action.sqlExpression, action.sqlParameters, values) }),
    },
  };
}

function toSql(expression: string, parameters: object | undefined, values: RuleValues): object {
  const sql = { SqlExpression: expression };
  return isEmpty(parameters) ? sql : { ...sql, Parameters: inFile(parameters, values) };
}

function toCorrelation(filter: CorrelationRuleFilter, values: RuleValues): object {
  const given = filter as Readonly<Record<string, unknown>>;
  const conditions: Record<string, unknown> = {};
  for (const [key, name] of correlationKeys) if (given[name]) conditions[key] = given[name];
  const { applicationProperties } = filter;
  return isEmpty(applicationProperties)
    ? conditions
    : { ...conditions, Properties: inFile(applicationProperties, values) };
}

function isEmpty(values: object | undefined): values is undefined {
  return values === undefined || Object.keys(values).length === 0;
}

function inFile(given: object, values: RuleValues): object {
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, values.toFile(value)]));
}
