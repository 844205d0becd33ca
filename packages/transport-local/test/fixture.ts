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

/** A broker with a manual clock, two queues, a topic with a subscription, and a client. */
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

/** Lets all ready callbacks run without advancing the clock. */
export async function quiet(): Promise<void> {
  for (let i = 0; i < 10; i++) await turn();
}

/**
 * Runs the event loop until a condition is true; only the test's own time limits it. A fixed number of turns is not
 * enough: the digest of a dead-letter record is computed on another thread.
 */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}

/** An undeserializable message: declared as JSON, but malformed. */
export function poison(messageId: string, text = "{not json"): EncodedMessage {
  return { messageId, contentType: "application/json", body: encoder.encode(text) };
}

const encoder = new TextEncoder();
