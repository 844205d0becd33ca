import { setImmediate as turn } from "node:timers/promises";
import {
  type Broker,
  createBroker,
  createManualClock,
  type ManualClock,
  type QueueOptions,
} from "@waybill/broker";
import { type EncodedMessage, type Transport, WaybillClient, type WaybillClientOptions } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "../src/index.js";

/** A broker with a clock that stands still, two queues, a topic with a subscription, and a client. */
export interface Fixture extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly broker: Broker;
  readonly transport: Transport;
  readonly client: WaybillClient;
}

export interface FixtureOptions {
  readonly queue?: QueueOptions;
  readonly client?: Partial<WaybillClientOptions>;
}

export async function createFixture(options: FixtureOptions = {}): Promise<Fixture> {
  const clock = createManualClock();
  const broker = createBroker({ clock });
  await broker.createQueue("orders", options.queue);
  await broker.createQueue("quarantine");
  await broker.createTopic("news");
  await broker.createSubscription("news", "all");
  const transport = localTransport(broker);
  const client = new WaybillClient(transport, { serializer: json(), ...options.client });
  return {
    clock,
    broker,
    transport,
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await broker.close();
    },
  };
}

/** Lets everything that is ready run, without letting time pass. */
export async function quiet(): Promise<void> {
  for (let i = 0; i < 10; i += 1) await turn();
}

/**
 * Lets the event loop turn until something holds; fails when it does not come about within ten seconds. A count of turns
 * would not do: the digest of a dead-letter record is made on another thread.
 */
export async function until(holds: () => boolean): Promise<void> {
  for (const deadlineMs = performance.now() + 10_000; performance.now() < deadlineMs; ) {
    if (holds()) return;
    await turn();
  }
  throw new Error(`It did not come about: ${holds}`);
}

/** A message that says it is JSON and is not. */
export function poison(messageId: string, text = "{not json"): EncodedMessage {
  return { messageId, contentType: "application/json", body: encoder.encode(text) };
}

const encoder = new TextEncoder();
