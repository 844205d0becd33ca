import type { CallOptions, CatalogEntity, EntityCatalog, EntityCounts } from "@waybill/core/transport";
import { mapInParallel, parseIsoDuration, underEither } from "@waybill/foundation";
import { toAzureError } from "../sdk/azure-error.js";
import type {
  ListedCounts,
  ListedOptions,
  ServiceBusAdministrationClientLike,
} from "../sdk/service-bus-administration-client.js";
import type { ServiceBusCallOptions } from "../sdk/service-bus-client.js";

/** How many topics are listed at once, with two requests each: a namespace far away takes a round trip for each of them. */
const topicsAtOnce = 32;

/**
 * The catalog of an Azure namespace, through your own `ServiceBusAdministrationClient`; its credential needs the Manage claim. Counts come
 * from the service and lag behind. `listEntities` rejects with a `WaybillError` for every error of the client.
 */
export function azureCatalog(administrationClient: ServiceBusAdministrationClientLike): EntityCatalog {
  return {
    async listEntities({ abortSignal }: CallOptions = {}) {
      const list = async (call: ServiceBusCallOptions) => {
        const [ofQueues, ofTopics] = await Promise.all([
          queues(administrationClient, call),
          topics(administrationClient, call),
        ]);
        return [...ofQueues, ...ofTopics];
      };
      try {
        if (abortSignal === undefined) return await list({});
        return await underEither(abortSignal, undefined, (signal) => list({ abortSignal: signal }));
      } catch (error) {
        throw toAzureError(error, "$Resources");
      }
    },
  };
}

async function queues(
  client: ServiceBusAdministrationClientLike,
  call: ServiceBusCallOptions,
): Promise<CatalogEntity[]> {
  const [running, listed] = await Promise.all([
    byName(client.listQueuesRuntimeProperties(call), ({ name }) => name),
    all(client.listQueues(call)),
  ]);
  return listed.map((queue) => {
    const { name, requiresDuplicateDetection } = queue;
    const counts = countsOf(running.get(name.toLowerCase()));
    return { entity: { queue: name }, ...optionsOf(queue), requiresDuplicateDetection, counts };
  });
}

/** Each topic, followed by its subscriptions. */
async function topics(
  client: ServiceBusAdministrationClientLike,
  call: ServiceBusCallOptions,
): Promise<CatalogEntity[]> {
  const [listed, running] = await Promise.all([
    byName(client.listTopics(call), ({ name }) => name),
    all(client.listTopicsRuntimeProperties(call)),
  ]);
  const found = await mapInParallel(running, topicsAtOnce, async ({ name: topic, scheduledMessageCount }) => {
    const counts = countsOf({
      scheduledMessageCount,
      activeMessageCount: 0,
      deadLetterMessageCount: 0,
      transferMessageCount: 0,
      transferDeadLetterMessageCount: 0,
    });
    const { requiresDuplicateDetection } = listed.get(topic.toLowerCase()) ?? {};
    return [
      { entity: { topic }, requiresDuplicateDetection, counts },
      ...(await subscriptions(client, topic, call)),
    ];
  });
  return found.flat();
}

async function subscriptions(
  client: ServiceBusAdministrationClientLike,
  topic: string,
  call: ServiceBusCallOptions,
): Promise<CatalogEntity[]> {
  const [running, listed] = await Promise.all([
    byName(
      client.listSubscriptionsRuntimeProperties(topic, call),
      ({ subscriptionName }) => subscriptionName,
    ),
    all(client.listSubscriptions(topic, call)),
  ]);
  return listed.map((subscription) => {
    const { subscriptionName } = subscription;
    const counts = countsOf({ scheduledMessageCount: 0, ...running.get(subscriptionName.toLowerCase()) });
    return { entity: { topic, subscription: subscriptionName }, ...optionsOf(subscription), counts };
  });
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function byName<T>(items: AsyncIterable<T>, name: (item: T) => string): Promise<Map<string, T>> {
  const found = new Map<string, T>();
  for await (const item of items) found.set(name(item).toLowerCase(), item);
  return found;
}

function optionsOf(listed: ListedOptions): Omit<CatalogEntity, "entity"> {
  return {
    requiresSession: listed.requiresSession,
    defaultMessageTimeToLiveInMs: parseIsoDuration(listed.defaultMessageTimeToLive),
    forwardTo: pathOf(listed.forwardTo),
    forwardDeadLetteredMessagesTo: pathOf(listed.forwardDeadLetteredMessagesTo),
  };
}

/** Undefined if any count is missing: an entity created between the two list calls has none. */
function countsOf(
  listed: { [Kind in keyof ListedCounts]?: number | undefined } = {},
): EntityCounts | undefined {
  const {
    activeMessageCount: active,
    scheduledMessageCount: scheduled,
    deadLetterMessageCount: deadLetter,
    transferMessageCount: transfer,
    transferDeadLetterMessageCount: transferDeadLetter,
  } = listed;
  const counts = { active, scheduled, deadLetter, transfer, transferDeadLetter };
  return Object.values(counts).includes(undefined) ? undefined : (counts as EntityCounts);
}

/** The service returns a URL where a path was set. */
function pathOf(target: string | undefined): string | undefined {
  if (target === undefined || target === "") return undefined;
  return /^\w+:\/\//.test(target) ? decodeURIComponent(new URL(target).pathname.slice(1)) : target;
}
