import { randomBytes } from "node:crypto";
import {
  type CreateQueueOptions,
  ServiceBusAdministrationClient,
  ServiceBusClient,
} from "@azure/service-bus";
import { createBroker, createManualClock } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import type { EntitySetting, TransportSubject } from "@waybill/conformance";
import { azureTransport } from "./azure-transport.js";
import { azureRetryOptions } from "./sdk/retry-options.js";

/** An environment of the transport suite: one broker for all cases; each case creates its own entities and transport. */
export interface Environment extends AsyncDisposable {
  readonly subject: TransportSubject;
}

/** What the SDK supports. */
export const capabilities = [
  "scheduling",
  "deferral",
  "sessions",
  "sessionEnumeration",
  "rules",
  "transferDeadLetter",
] as const;

/** The queue that is asked whether everything on the connection has arrived. */
const roundTrips = "round-trips";

/**
 * The SDK against a server of the local broker in this process. The broker's clock advances only when a case advances it; waits inside the SDK
 * take real time.
 */
export async function openServerEnvironment(): Promise<Environment> {
  const clock = createManualClock(new Date());
  const broker = createBroker({ clock });
  const server = await serve(broker, { port: 0 });
  const client = new ServiceBusClient(server.connectionString, { retryOptions: azureRetryOptions });
  await broker.createQueue(roundTrips);
  const roundTrip = client.createReceiver(roundTrips);
  let created = 0;
  const create = async () => {
    const transport = azureTransport(client);
    return {
      transport,
      async createQueue(setting: EntitySetting): Promise<string> {
        const queue = `queue-${++created}`;
        await broker.createQueue(queue, setting);
        return queue;
      },
      async createTopic(subscriptions: readonly string[], setting: EntitySetting): Promise<string> {
        const topic = `topic-${++created}`;
        await broker.createTopic(topic);
        for (const name of subscriptions) await broker.createSubscription(topic, name, setting);
        return topic;
      },
      async advance(durationMs: number): Promise<void> {
        clock.advance(durationMs);
        // All links share a connection: what the server sent before its answer has arrived with it.
        await roundTrip.peekMessages(1);
      },
      now: () => new Date(clock.now()),
      [Symbol.asyncDispose]: () => transport.close(),
    };
  };
  return {
    subject: { create, capabilities, maxMessageBytes: 1024 * 1024 },
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.close();
      await broker.close();
    },
  };
}

/** The SDK against a real namespace, in entities that each case creates and removes. The connection string needs the Manage claim. */
export async function openNamespaceEnvironment(connectionString: string): Promise<Environment> {
  const administration = new ServiceBusAdministrationClient(connectionString);
  const client = new ServiceBusClient(connectionString, { retryOptions: azureRetryOptions });
  const { messagingSku } = await administration.getNamespaceProperties();
  const run = `waybill-suite-${randomBytes(4).toString("hex")}`;
  let created = 0;
  const create = async () => {
    const transport = azureTransport(client);
    const removals: (() => Promise<unknown>)[] = [];
    return {
      transport,
      async createQueue(setting: EntitySetting): Promise<string> {
        const queue = `${run}-${++created}`;
        await administration.createQueue(queue, toEntityOptions(setting));
        removals.unshift(() => administration.deleteQueue(queue));
        return queue;
      },
      async createTopic(subscriptions: readonly string[], setting: EntitySetting): Promise<string> {
        const topic = `${run}-${++created}`;
        await administration.createTopic(topic);
        removals.unshift(() => administration.deleteTopic(topic));
        for (const name of subscriptions)
          await administration.createSubscription(topic, name, toEntityOptions(setting));
        return topic;
      },
      advance: sleep,
      now: () => new Date(),
      async [Symbol.asyncDispose](): Promise<void> {
        await transport.close();
        for (const remove of removals) await remove();
      },
    };
  };
  return {
    subject: {
      create,
      capabilities,
      maxMessageBytes: messagingSku === "Premium" ? 1024 * 1024 : 256 * 1024,
      patienceMs: 20_000,
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function toEntityOptions(setting: EntitySetting): CreateQueueOptions {
  const { lockDurationMs, maxDeliveryCount, requiresSession } = setting;
  const { forwardTo, forwardDeadLetteredMessagesTo } = setting;
  return {
    lockDuration: `PT${lockDurationMs / 1000}S`,
    maxDeliveryCount,
    requiresSession,
    ...(forwardTo !== undefined && { forwardTo }),
    ...(forwardDeadLetteredMessagesTo !== undefined && { forwardDeadLetteredMessagesTo }),
  };
}

function sleep(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
