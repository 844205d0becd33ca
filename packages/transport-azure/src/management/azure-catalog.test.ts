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
