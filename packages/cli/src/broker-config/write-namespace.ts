import type {
  CorrelationRuleFilter,
  ServiceBusAdministrationClient,
  SqlRuleAction,
  SqlRuleFilter,
} from "@azure/service-bus";
import type { AuthorizationRule, RuleConstant, RuleDefinition, RuleFilter } from "@waybill/broker";
import type { SqlText } from "@waybill/broker/front-end";
import type {
  EntityKind,
  EntityProperties,
  NamespaceConfig,
  SubscriptionConfig,
} from "@waybill/broker-server/config";
import { WaybillError } from "@waybill/core";
import { toIsoDuration } from "@waybill/foundation";
import { managementError } from "../errors/management-error.js";
import type { ManagedEntity } from "../input/parse-managed-entity.js";
import { keepRuleTypes, type RuleValues } from "./exact-rule-values.js";

/** One entity to create. */
interface Step {
  readonly kind: string;
  readonly path: string;
  /** Entities that must exist first: its topic, and the entities that it forwards to. */
  readonly needs: readonly string[];
  exists(): Promise<boolean>;
  create(): Promise<unknown>;
}

/** How a configuration is written. */
export interface WriteOptions {
  readonly apply: boolean;
  /** Creates only the entity with this path. */
  readonly only?: string | undefined;
  /** Called for each entity, after it was created. */
  readonly onStep: (step: WrittenStep) => void;
}

/** What was done about an entity. */
export interface WrittenStep {
  readonly kind: string;
  readonly path: string;
  readonly done: "is there" | "made" | "would make";
}

/** A step as a line of text. */
export function stepText({ kind, path, done }: WrittenStep): string {
  return `${done.padEnd("would make".length)}  ${kind} ${path}`;
}

/**
 * Creates the entities of a configuration that a namespace lacks, or only names them without `apply`; existing ones are not changed.
 */
export async function writeNamespace(
  client: ServiceBusAdministrationClient,
  config: NamespaceConfig,
  { apply, onStep, only }: WriteOptions,
): Promise<void> {
  const { messagingSku } = await client.getNamespaceProperties();
  const values = keepRuleTypes(client);
  const toSdk: ToSdk = {
    options: (properties) => toSdkOptions(properties, messagingSku === "Premium"),
    rule: (rule) => toSdkRule(rule, values),
  };
  const steps = inOrder(stepsOf(client, config, toSdk));
  await checkTargets(client, steps, only);
  for (const { kind, path, exists, create } of steps) {
    if (only !== undefined && path !== only) continue;
    const isThere = await exists();
    if (!isThere && apply) await create().catch((error) => Promise.reject(managementError(error, path)));
    onStep({ kind, path, done: isThere ? "is there" : apply ? "made" : "would make" });
  }
}

/** Changes the given properties of an entity; the others stay. */
export async function updateEntity(
  client: ServiceBusAdministrationClient,
  entity: ManagedEntity,
  kind: EntityKind,
  properties: EntityProperties,
): Promise<void> {
  const { messagingSku } = await client.getNamespaceProperties();
  const changes = toSdkOptions(properties, messagingSku === "Premium");
  if ("topic" in entity)
    await client.updateSubscription({
      ...(await client.getSubscription(entity.topic, entity.subscription)),
      ...changes,
    });
  else if (kind === "queue")
    await client.updateQueue({ ...(await client.getQueue(entity.queueOrTopic)), ...changes });
  else await client.updateTopic({ ...(await client.getTopic(entity.queueOrTopic)), ...changes });
}

/** What the SDK takes for an entity, and for a rule. */
interface ToSdk {
  options(properties: EntityProperties): Record<string, unknown>;
  rule(rule: RuleDefinition): SdkRule;
}

interface SdkRule {
  readonly name: string;
  readonly filter: SqlRuleFilter | CorrelationRuleFilter;
  readonly action?: SqlRuleAction;
}

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
    create: () => client.createQueue(name, toSdk.options(properties)),
  }));
  const forTopics = topics.flatMap(({ name, properties, subscriptions }) => [
    {
      kind: "topic",
      path: name,
      needs: [],
      exists: () => client.topicExists(name),
      create: () => client.createTopic(name, toSdk.options(properties)),
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

/** Throws `WaybillError` that names who forwards to what neither the configuration nor the namespace has, before anything is created. */
async function checkTargets(
  client: ServiceBusAdministrationClient,
  steps: readonly Step[],
  only: string | undefined,
): Promise<void> {
  const known = new Set(steps.map(({ path }) => path.toLowerCase()));
  for (const { path, needs } of steps) {
    if (only !== undefined && path !== only) continue;
    for (const target of needs) {
      if (known.has(target.toLowerCase())) continue;
      if ((await client.queueExists(target)) || (await client.topicExists(target))) continue;
      throw new WaybillError("entity-not-found", `It forwards to '${target}', which does not exist.`, {
        entityPath: path,
      });
    }
  }
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
  const [first, ...others] = rules.map(toSdk.rule);
  await client.createSubscription(topic, name, {
    ...toSdk.options(properties),
    ...(first && { defaultRuleOptions: first }),
  });
  for (const { name: rule, filter, action } of others) {
    await (action === undefined
      ? client.createRule(topic, name, rule, filter)
      : client.createRule(topic, name, rule, filter, action));
  }
}

/** Premium has the maximum message size, at least 1 MB; elsewhere Service Bus refuses it. */
function toSdkOptions(properties: EntityProperties, isPremium: boolean): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  for (const [option, value] of Object.entries(properties)) {
    if (option.endsWith("Ms")) options[option.slice(0, -2)] = toIsoDuration(value as number);
    else if (option === "authorizationRules")
      options[option] = (value as AuthorizationRule[]).map(toSdkPolicy);
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

function toSdkPolicy({ rights, ...rule }: AuthorizationRule): object {
  return { claimType: "SharedAccessKey", accessRights: [...rights], ...rule };
}

function toSdkRule({ name, filter, action }: RuleDefinition, values: RuleValues): SdkRule {
  const rule = { name, filter: toSdkFilter(filter, values) };
  return action === undefined ? rule : { ...rule, action: toSdkSql(action, values) };
}

function toSdkFilter(filter: RuleFilter, values: RuleValues): SqlRuleFilter | CorrelationRuleFilter {
  switch (filter.type) {
    case "true":
      return { sqlExpression: "1=1" };
    case "false":
      return { sqlExpression: "1=0" };
    case "sql":
      return toSdkSql(filter, values);
    case "correlation": {
      const { type: _, properties = {}, ...conditions } = filter;
      const applicationProperties = inSdk(properties, values);
      return {
        ...(conditions as CorrelationRuleFilter),
        ...(applicationProperties && { applicationProperties }),
      };
    }
  }
}

function toSdkSql({ expression, parameters = {} }: SqlText, values: RuleValues): SqlRuleFilter {
  const sqlParameters = inSdk(parameters, values);
  return { sqlExpression: expression, ...(sqlParameters && { sqlParameters }) };
}

function inSdk(
  constants: ReadonlyMap<string, RuleConstant> | Readonly<Record<string, RuleConstant>>,
  values: RuleValues,
): Record<string, string> | undefined {
  const entries = constants instanceof Map ? [...constants] : Object.entries(constants);
  if (entries.length === 0) return undefined;
  return Object.fromEntries(entries.map(([key, value]) => [key, values.toSdk(value)]));
}
