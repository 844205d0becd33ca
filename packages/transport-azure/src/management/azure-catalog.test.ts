import { describe, expect, it } from "vitest";
import type {
  ListedDuplicateDetection,
  ListedOptions,
  ServiceBusAdministrationClientLike,
} from "../sdk/service-bus-administration-client.js";
import { azureCatalog } from "./azure-catalog.js";

const options: ListedOptions & ListedDuplicateDetection = {
  requiresSession: false,
  requiresDuplicateDetection: false,
  defaultMessageTimeToLive: "P10675199DT2H48M5.4775807S",
};
const none = { deadLetterMessageCount: 0, transferMessageCount: 0, transferDeadLetterMessageCount: 0 };

/** The responses of a namespace, in the SDK's form. */
function namespace(answers: Partial<ServiceBusAdministrationClientLike>): ServiceBusAdministrationClientLike {
  return {
    listQueues: () => list(),
    listQueuesRuntimeProperties: () => list(),
    listTopics: () => list(),
    listTopicsRuntimeProperties: () => list(),
    listSubscriptions: () => list(),
    listSubscriptionsRuntimeProperties: () => list(),
    ...answers,
  };
}

async function* list<T>(...items: T[]): AsyncGenerator<T> {
  yield* items;
}

/** Pages of 100, as the SDK asks for them. All requests that are under way are answered together: that is one round trip. */
function farNamespace() {
  const pageSize = 100;
  let waiting: (() => void)[] = [];
  const counts = { requests: 0, roundTrips: 0, mostAtOnce: 0 };
  const answer = () => {
    const answered = waiting;
    waiting = [];
    counts.roundTrips++;
    counts.mostAtOnce = Math.max(counts.mostAtOnce, answered.length);
    for (const resolve of answered) resolve();
  };
  const request = () => {
    counts.requests++;
    if (waiting.length === 0) setImmediate(answer);
    return new Promise<void>((resolve) => waiting.push(resolve));
  };
  return {
    async *pages<T>(items: readonly T[]): AsyncGenerator<T> {
      for (let start = 0; start < items.length; start += pageSize) {
        await request();
        yield* items.slice(start, start + pageSize);
      }
    },
    requests: () => counts.requests,
    roundTrips: () => counts.roundTrips,
    mostAtOnce: () => counts.mostAtOnce,
  };
}

describe("the catalog of an Azure namespace", () => {
  it("lists queues with their options and counts", async () => {
    const catalog = azureCatalog(
      namespace({
        listQueues: () =>
          list({
            name: "Orders",
            ...options,
            requiresSession: true,
            requiresDuplicateDetection: true,
            defaultMessageTimeToLive: "P1DT2H3M4.5S",
            forwardTo: "https://contoso.servicebus.windows.net/archive%2fold",
            forwardDeadLetteredMessagesTo: "graveyard",
          }),
        listQueuesRuntimeProperties: () =>
          list({ name: "orders", ...none, activeMessageCount: 3, scheduledMessageCount: 2 }),
      }),
    );
    expect(await catalog.listEntities()).toEqual([
      {
        entity: { queue: "Orders" },
        requiresSession: true,
        requiresDuplicateDetection: true,
        defaultMessageTimeToLiveInMs: 93_784_500,
        forwardTo: "archive/old",
        forwardDeadLetteredMessagesTo: "graveyard",
        counts: { active: 3, scheduled: 2, deadLetter: 0, transfer: 0, transferDeadLetter: 0 },
      },
    ]);
  });

  it("lists topics before their subscriptions; an unlimited time to live is infinite", async () => {
    const catalog = azureCatalog(
      namespace({
        listTopics: () => list({ name: "Events", requiresDuplicateDetection: true }),
        listTopicsRuntimeProperties: () => list({ name: "events", scheduledMessageCount: 5 }),
        listSubscriptions: (topic) => list({ topicName: topic, subscriptionName: "billing", ...options }),
        listSubscriptionsRuntimeProperties: () =>
          list({ subscriptionName: "billing", ...none, activeMessageCount: 1 }),
      }),
    );
    expect(await catalog.listEntities()).toMatchObject([
      { entity: { topic: "events" }, requiresDuplicateDetection: true, counts: { scheduled: 5, active: 0 } },
      {
        entity: { topic: "events", subscription: "billing" },
        defaultMessageTimeToLiveInMs: Number.POSITIVE_INFINITY,
        counts: { active: 1, scheduled: 0 },
      },
    ]);
  });

  it("lists 2,000 topics in 250 round trips at most, with no more than 66 requests at a time", async () => {
    const names = Array.from({ length: 2_000 }, (_, index) => `topic-${index}`);
    const far = farNamespace();
    const catalog = azureCatalog(
      namespace({
        listTopics: () => far.pages(names.map((name) => ({ name, requiresDuplicateDetection: false }))),
        listTopicsRuntimeProperties: () =>
          far.pages(names.map((name) => ({ name, scheduledMessageCount: 0 }))),
        listSubscriptions: (topic) =>
          far.pages([{ topicName: topic, subscriptionName: `of-${topic}`, ...options }]),
        listSubscriptionsRuntimeProperties: (topic) =>
          far.pages([{ subscriptionName: `of-${topic}`, ...none, activeMessageCount: 1 }]),
      }),
    );
    const listed = await catalog.listEntities();
    expect(listed.map(({ entity }) => entity)).toEqual(
      names.flatMap((topic) => [{ topic }, { topic, subscription: `of-${topic}` }]),
    );
    expect(far.requests()).toBe(2 * 20 + 2 * 2_000);
    expect(far.roundTrips()).toBeLessThanOrEqual(250);
    expect(far.mostAtOnce()).toBeLessThanOrEqual(66);
  });

  it("has no counts for entities created between the two list calls", async () => {
    const catalog = azureCatalog(namespace({ listQueues: () => list({ name: "new", ...options }) }));
    expect((await catalog.listEntities())[0]?.counts).toBeUndefined();
  });

  it("reports that the credential may not list", async () => {
    const refusal = Object.assign(new Error("Manage,EntityRead claims required"), {
      name: "RestError",
      code: "UnauthorizedRequestError",
      statusCode: 401,
    });
    const catalog = azureCatalog(
      namespace({
        // biome-ignore lint/correctness/useYield: it fails before there is anything to list.
        async *listQueuesRuntimeProperties() {
          throw refusal;
        },
      }),
    );
    await expect(catalog.listEntities()).rejects.toMatchObject({ code: "unauthorized" });
  });
});
