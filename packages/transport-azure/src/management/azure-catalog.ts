import type { CallOptions, CatalogEntity, EntityCatalog, EntityCounts } from "@waybill/core/transport";
import { parseIsoDuration } from "@waybill/foundation";
import { toAzureError } from "../sdk/azure-error.js";
import type {
  ListedCounts,
  ListedOptions,
  ServiceBusAdministrationClientLike,
} from "../sdk/service-bus-administration-client.js";
import type { ServiceBusCallOptions } from "../sdk/service-bus-client.js";

/**
 * The catalog of an Azure namespace, through your own `ServiceBusAdministrationClient`; its credential needs the Manage claim. Counts come
 * from the service and lag behind. `listEntities` rejects with a `WaybillError` for every error of the client.
 */
export function azureCatalog(administrationClient: ServiceBusAdministrationClientLike): EntityCatalog {
  return {
    async listEntities(options: CallOptions = {}) {
      const call: ServiceBusCallOptions =
        options.abortSignal === undefined ? {} : { abortSignal: options.abortSignal };
      try {
        return [...(await queues(administrationClient, call)), ...(await topics(administrationClient, call))];
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
  const running = await byName(client.listQueuesRuntimeProperties(call), ({ name }) => name);
  const found: CatalogEntity[] = [];
  for await (const queue of client.listQueues(call)) {
    const counted = running.get(queue.name.toLowerCase());
    const { name, requiresDuplicateDetection } = queue;
    const counts = countsOf(counted);
    found.push({ entity: { queue: name }, ...optionsOf(queue), requiresDuplicateDetection, counts });
  }
  return found;
}

/** Each topic, followed by its subscriptions. */
async function topics(
  client: ServiceBusAdministrationClientLike,
  call: ServiceBusCallOptions,
): Promise<CatalogEntity[]> {
  const listed = await byName(client.listTopics(call), ({ name }) => name);
  const found: CatalogEntity[] = [];
  for await (const { name: topic, scheduledMessageCount } of client.listTopicsRuntimeProperties(call)) {
    const counts = countsOf({
      scheduledMessageCount,
      activeMessageCount: 0,
      deadLetterMessageCount: 0,
      transferMessageCount: 0,
      transferDeadLetterMessageCount: 0,
    });
    const { requiresDuplicateDetection } = listed.get(topic.toLowerCase()) ?? {};
    found.push({ entity: { topic }, requiresDuplicateDetection, counts });
    const running = client.listSubscriptionsRuntimeProperties(topic, call);
    const counted = await byName(running, ({ subscriptionName }) => subscriptionName);
    for await (const subscription of client.listSubscriptions(topic, call)) {
      const { subscriptionName } = subscription;
      found.push({
        entity: { topic, subscription: subscriptionName },
        ...optionsOf(subscription),
        counts: countsOf({ scheduledMessageCount: 0, ...counted.get(subscriptionName.toLowerCase()) }),
      });
    }
  }
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
