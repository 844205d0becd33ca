import type {
  CorrelationRuleFilter,
  ServiceBusAdministrationClient,
  SqlRuleFilter,
} from "@azure/service-bus";
import type { AuthorizationRule, RuleConstant, RuleDefinition } from "@waybill/broker";
import { toIsoDuration } from "@waybill/foundation";
import type { EntityProperties } from "./entity-properties.js";
import type { NamespaceConfig, SubscriptionConfig } from "./namespace-config.js";

/** One entity to create. */
interface Step {
  readonly kind: string;
  readonly path: string;
  /** Entities that must exist first: its topic, and the entities that it forwards to. */
  readonly needs: readonly string[];
  exists(): Promise<boolean>;
  create(): Promise<unknown>;
}

/**
 * Creates the entities of a configuration that a namespace lacks, or only lists them without `apply`, and writes a line for each; existing ones are
 * not changed.
 */
export async function writeNamespace(
  client: ServiceBusAdministrationClient,
  config: NamespaceConfig,
  { apply, write }: { readonly apply: boolean; readonly write: (line: string) => void },
): Promise<void> {
  const { messagingSku } = await client.getNamespaceProperties();
  const toSdk = (properties: EntityProperties) => toSdkOptions(properties, messagingSku === "Premium");
  for (const { kind, path, exists, create } of inOrder(stepsOf(client, config, toSdk))) {
    const isThere = await exists();
    write(`${isThere ? "is there  " : apply ? "made      " : "would make"}  ${kind} ${path}`);
    if (!isThere && apply) await create();
  }
}

/** The options of an entity for the SDK. */
type ToSdk = (properties: EntityProperties) => Record<string, unknown>;

function stepsOf(
  client: ServiceBusAdministrationClient,
  { queues, topics }: NamespaceConfig,
  toSdk: ToSdk,
): Step[] {
  const forQueues = queues.map(({ name, properties }) => ({
    kind: "queue",
    path: name,
    needs: forwardsOf(properties),
    exists: () => client.queueExists(name),
    create: () => client.createQueue(name, toSdk(properties)),
  }));
  const forTopics = topics.flatMap(({ name, properties, subscriptions }) => [
    {
      kind: "topic",
      path: name,
      needs: [],
      exists: () => client.topicExists(name),
      create: () => client.createTopic(name, toSdk(properties)),
    },
    ...subscriptions.map((subscription) => ({
      kind: "subscription",
      path: `${name}/Subscriptions/${subscription.name}`,
      needs: [name, ...forwardsOf(subscription.properties)],
      exists: async () =>
        (await client.topicExists(name)) && (await client.subscriptionExists(name, subscription.name)),
      create: () => createSubscription(client, name, subscription, toSdk),
    })),
  ]);
  return [...forQueues, ...forTopics];
}

/** Each step after those that it needs; cycles come last, and Service Bus refuses them. */
function inOrder(steps: readonly Step[]): Step[] {
  const ordered: Step[] = [];
  const waiting = new Map(steps.map((step) => [step.path.toLowerCase(), step]));
  const isReady = ({ needs }: Step) => !needs.some((path) => waiting.has(path.toLowerCase()));
  for (let ready = steps.filter(isReady); ready.length > 0; ready = [...waiting.values()].filter(isReady)) {
    for (const step of ready) {
      ordered.push(step);
      waiting.delete(step.path.toLowerCase());
    }
  }
  return [...ordered, ...waiting.values()];
}

function forwardsOf({ forwardTo, forwardDeadLetteredMessagesTo }: EntityProperties): string[] {
  return [forwardTo, forwardDeadLetteredMessagesTo].filter((path) => typeof path === "string");
}

async function createSubscription(
  client: ServiceBusAdministrationClient,
  topic: string,
  { name, properties, rules }: SubscriptionConfig,
  toSdk: ToSdk,
): Promise<void> {
  const [first, ...others] = rules;
  await client.createSubscription(topic, name, {
    ...toSdk(properties),
    ...(first && { defaultRuleOptions: { name: first.name, filter: filterOf(first), ...actionOf(first) } }),
  });
  for (const rule of others) {
    const { action } = actionOf(rule);
    await (action === undefined
      ? client.createRule(topic, name, rule.name, filterOf(rule))
      : client.createRule(topic, name, rule.name, filterOf(rule), action));
  }
}

/** Premium has the maximum message size, at least 1 MB; elsewhere Service Bus refuses it. */
function toSdkOptions(properties: EntityProperties, isPremium: boolean): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  for (const [option, value] of Object.entries(properties)) {
    if (option.endsWith("Ms")) options[option.slice(0, -2)] = toIsoDuration(value as number);
    else if (option === "authorizationRules") options[option] = (value as AuthorizationRule[]).map(toSdkRule);
    else if (option === "maxSizeInMegabytes") options[option] = sizeOfPartition(properties, value as number);
    else if (option !== "maxMessageSizeInKilobytes") options[option] = value;
    else if (isPremium) options[option] = Math.max(value as number, 1024);
  }
  return options;
}

/** Service Bus returns the size of all 16 partitions, and expects that of one, which is 5 GB at most. */
function sizeOfPartition({ enablePartitioning }: EntityProperties, megabytes: number): number {
  return enablePartitioning === true && megabytes > 5120 ? Math.ceil(megabytes / 16) : megabytes;
}

function toSdkRule({ rights, ...rule }: AuthorizationRule): object {
  return { claimType: "SharedAccessKey", accessRights: [...rights], ...rule };
}

function filterOf({ filter }: RuleDefinition): SqlRuleFilter | CorrelationRuleFilter {
  switch (filter.type) {
    case "true":
      return { sqlExpression: "1=1" };
    case "false":
      return { sqlExpression: "1=0" };
    case "sql":
      return { sqlExpression: filter.expression };
    case "correlation": {
      const { type: _, properties, ...conditions } = filter;
      const entries = properties instanceof Map ? [...properties] : Object.entries(properties ?? {});
      const applicationProperties = Object.fromEntries(entries.map(([key, value]) => [key, toScalar(value)]));
      return {
        ...(conditions as CorrelationRuleFilter),
        ...(entries.length > 0 && { applicationProperties }),
      };
    }
  }
}

function toScalar(value: RuleConstant): string | number | boolean {
  return typeof value === "bigint" ? Number(value) : (value as string | number | boolean);
}

function actionOf({ action }: RuleDefinition): { action?: { sqlExpression: string } } {
  return action === undefined ? {} : { action: { sqlExpression: action.expression } };
}
