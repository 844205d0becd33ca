import { setTimeout as sleep } from "node:timers/promises";
import { ServiceBusClient } from "@azure/service-bus";
import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { WaybillClient } from "@waybill/core";
import { unavailableFailure } from "@waybill/core/serializer";
import { json } from "@waybill/serializer-json";
import { expect, it } from "vitest";
import { azureTransport } from "./azure-transport.js";
import { azureRetryOptions } from "./sdk/retry-options.js";

const messageCount = 30;

/** Locks of the shortest duration of the service expire twice meanwhile. */
const outageMs = 11_000;

it("counts no delivery in an outage that is longer than the locks: processor, calls and sessions", async () => {
  await using fixture = await openFixture();
  const { client, registry, broker } = fixture;
  for (const queue of ["processor", "calls"]) await fixture.createQueue(queue, false);
  for (const queue of ["sessions", "session"]) await fixture.createQueue(queue, true);
  const counts: number[] = [];
  const handlers = {
    processMessage: ({ deliveryCount }: { deliveryCount: number }) => void counts.push(deliveryCount),
    processError() {},
  };
  registry.isUp = false;
  client.createReceiver("processor").subscribe(handlers, { maxConcurrentCalls: 8 });
  client.subscribeSessions("sessions", handlers, { maxConcurrentSessions: 2, maxBlockedSessions: 3 });
  const session = await client.acceptSession("session", "s0");
  session.subscribe(handlers);
  const receiver = client.createReceiver("calls");
  const isDone = () => counts.length >= 3 * messageCount + messageCount / 10;
  const receiving = (async () => {
    while (!isDone()) {
      for (const message of await receiver.receiveMessages(10, { maxWaitTimeInMs: 500 }).catch(() => [])) {
        counts.push(message.deliveryCount);
        await receiver.completeMessage(message);
      }
    }
  })();
  await sleep(outageMs);
  registry.isUp = true;
  while (!isDone()) await sleep(100);
  await receiving;
  expect(counts.length).toBe(3 * messageCount + messageCount / 10);
  expect(Math.max(...counts)).toBe(0);
  for (const queue of ["processor", "calls", "sessions", "session"]) {
    expect(await broker.receiver(`${queue}/$DeadLetterQueue`).peek(9)).toEqual([]);
  }
});

async function openFixture() {
  const broker = createBroker();
  const server = await serve(broker, { port: 0 });
  const sdk = new ServiceBusClient(server.connectionString, { retryOptions: azureRetryOptions });
  const transport = azureTransport(sdk);
  const registry = { isUp: true };
  const sound = json();
  const client = new WaybillClient(transport, {
    serializer: {
      ...sound,
      deserialize(bytes, context) {
        if (!registry.isUp) throw unavailableFailure("The registry does not respond.");
        return sound.deserialize(bytes, context);
      },
    },
  });
  return {
    broker,
    client,
    registry,
    /** A queue with messages, in ten sessions if it has any. */
    async createQueue(queue: string, requiresSession: boolean) {
      await broker.createQueue(queue, { lockDurationMs: 5_000, maxDeliveryCount: 3, requiresSession });
      const messages = Array.from({ length: messageCount }, (_, n) => ({
        body: { n },
        ...(requiresSession && { sessionId: `s${n % 10}` }),
      }));
      await client.createSender(queue).sendMessages(messages);
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await transport.close();
      await sdk.close();
      await server.close();
      await broker.close();
    },
  };
}
