import { ServiceBusClient } from "@azure/service-bus";
import { type Broker, createBroker, createManualClock } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { WaybillClient } from "@waybill/core";
import { unavailableFailure } from "@waybill/core/serializer";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import { expect, it } from "vitest";
import { azureTransport } from "./azure-transport.js";
import { azureRetryOptions } from "./sdk/retry-options.js";
import { until } from "./until.test-support.js";

const messageCount = 30;

const lockDurationMs = 5_000;

/** A lock is renewed after half of its duration. */
const minRemainingMs = lockDurationMs / 4;

/** Locks expire twice meanwhile. */
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
  await until(() => lockedUntil(broker).length >= 3);
  await pass(fixture, outageMs);
  registry.isUp = true;
  while (!isDone()) await pass(fixture, 500);
  await receiving;
  expect(counts.length).toBe(3 * messageCount + messageCount / 10);
  expect(Math.max(...counts)).toBe(0);
  for (const queue of ["processor", "calls", "sessions", "session"]) {
    expect(await broker.receiver(`${queue}/$DeadLetterQueue`).peek(9)).toEqual([]);
  }
});

/** Lets time pass in steps. Each begins when the client has renewed the locks that it holds, however long that takes. */
async function pass(
  { broker, clock, roundTrip }: Awaited<ReturnType<typeof openFixture>>,
  durationMs: number,
): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += 500) {
    const isRenewed = (end: Date) => end.getTime() - clock.now() > minRemainingMs;
    await until(() => lockedUntil(broker).every(isRenewed));
    clock.advance(500);
    // What the client has sent at that moment has arrived once a later request is answered.
    await roundTrip();
  }
}

function lockedUntil(broker: Broker): Date[] {
  const { stores } = broker.snapshot();
  const locks = stores.flatMap(({ messages, sessions }) => [...messages, ...sessions]);
  return locks.flatMap(({ isLocked, lockedUntil: end }) => (isLocked && end !== undefined ? [end] : []));
}

async function openFixture() {
  const clock = createManualClock(new Date());
  const broker = createBroker({ clock });
  const server = await serve(broker, { port: 0 });
  const sdk = new ServiceBusClient(server.connectionString, { retryOptions: azureRetryOptions });
  // The timers of the client run by the broker's clock.
  const { scheduler } = localTransport(broker);
  const transport = Object.assign(azureTransport(sdk), { scheduler });
  const peeking = sdk.createReceiver("calls");
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
    clock,
    client,
    registry,
    /** A request over the connection, and its answer. */
    async roundTrip() {
      await peeking.peekMessages(1);
    },
    /** A queue with messages, in ten sessions if it has any. */
    async createQueue(queue: string, requiresSession: boolean) {
      await broker.createQueue(queue, { lockDurationMs, maxDeliveryCount: 3, requiresSession });
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
