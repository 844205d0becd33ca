import type { ServiceBusMessage, ServiceBusReceiver, ServiceBusReceiverOptions } from "@azure/service-bus";
import { type Clock, createBroker, type QueueOptions } from "@waybill/broker";
import { connect } from "./fixture.test-support.js";
import { serve } from "./index.js";

/** A kind of entity to receive from, on which SDK features are tested. */
export interface EntityKind {
  readonly name: string;
  readonly isSubscription: boolean;
  readonly enablePartitioning: boolean;
  readonly requiresSession: boolean;
}

/** Queues and subscriptions, partitioned or not, with sessions or without. */
export const entityKinds: readonly EntityKind[] = [false, true].flatMap((isSubscription) =>
  [false, true].flatMap((enablePartitioning) =>
    [false, true].map((requiresSession) => ({
      name: `a ${enablePartitioning ? "partitioned " : ""}${isSubscription ? "subscription" : "queue"}${requiresSession ? " with sessions" : ""}`,
      isSubscription,
      enablePartitioning,
      requiresSession,
    })),
  ),
);

const session = "my-session";

/** An entity of a kind on its own server, with a connected official client. */
export async function openKind(
  kind: EntityKind,
  options: Pick<QueueOptions, "maxDeliveryCount"> = {},
  clock?: Clock,
) {
  const { isSubscription, enablePartitioning, requiresSession } = kind;
  const broker = createBroker({ clock });
  if (isSubscription) {
    await broker.createTopic("orders", { enablePartitioning });
    await broker.createSubscription("orders", "all", { requiresSession, ...options });
  } else await broker.createQueue("orders", { enablePartitioning, requiresSession, ...options });
  const server = await serve(broker, { port: 0 });
  const client = connect(server.connectionString);
  const path = isSubscription ? "orders/Subscriptions/all" : "orders";
  return {
    broker,
    client,
    path,
    sender: client.createSender("orders"),
    /** A message valid for this kind of entity. */
    message: (body: unknown): ServiceBusMessage => ({ body, ...(requiresSession && { sessionId: session }) }),
    receiver: (options: ServiceBusReceiverOptions = {}): Promise<ServiceBusReceiver> => {
      if (!requiresSession) return Promise.resolve(client.createReceiver(path, options));
      const { receiveMode } = options;
      return client.acceptSession(path, session, receiveMode === undefined ? {} : { receiveMode });
    },
    deadLetters: client.createReceiver(path, { subQueueType: "deadLetter" }),
    async [Symbol.asyncDispose](): Promise<void> {
      await client.close();
      await server.close();
      await broker.close();
    },
  };
}
