import { setImmediate as turn } from "node:timers/promises";
import {
  type Broker,
  createBroker,
  createManualClock,
  type ManualClock,
  type QueueOptions,
} from "@waybill/broker";
import {
  type EncodedMessage,
  type Serializer,
  type Transport,
  type UndeserializableEvent,
  WaybillClient,
  type WaybillClientOptions,
} from "@waybill/core";
import { unavailableFailure } from "@waybill/core/serializer";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";

/** A broker with a manual clock, two queues, a topic with a subscription, and a client. */
export interface Fixture extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly broker: Broker;
  readonly transport: Transport;
  readonly client: WaybillClient;
  /** Another client on the same transport. */
  clientWith(options: Partial<WaybillClientOptions>): WaybillClient;
  /** The events passed to the client's `onUndeserializable`. */
  readonly events: UndeserializableEvent[];
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
  const events: UndeserializableEvent[] = [];
  const transport = localTransport(broker);
  const client = new WaybillClient(transport, {
    serializer: json(),
    onUndeserializable: (event) => events.push(event),
    ...options.client,
  });
  return {
    clock,
    broker,
    transport,
    client,
    clientWith: (own) => new WaybillClient(transport, { serializer: json(), ...own }),
    events,
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
 * Runs the event loop until a condition is true; only the test's own time limits it. A fixed number of turns is not enough: the digest of a
 * dead-letter record is computed on another thread.
 */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}

/** A serializer with its own media type whose `deserialize` is given by the test. */
export function reading(deserialize: (bytes: Uint8Array) => unknown): Serializer {
  return {
    name: "custom",
    mediaTypes: ["application/x-custom"],
    detection: "label",
    serialize: (value) => ({ bytes: encoder.encode(String(value)) }),
    deserialize,
  };
}

/** A format whose schema registry can be switched off. */
export function registryBound(registry: { isUp: boolean }): Serializer {
  return reading((bytes) => {
    if (!registry.isUp) throw unavailableFailure("The registry does not respond.");
    return { text: decoder.decode(bytes) };
  });
}

/** An undeserializable message: declared as JSON, but malformed. */
export function poison(messageId: string, text = "{not json"): EncodedMessage {
  return { messageId, contentType: "application/json", body: encoder.encode(text) };
}

/** A message in the format of {@link reading}. */
export function custom(messageId: string, text = "x"): EncodedMessage {
  return { messageId, contentType: "application/x-custom", body: encoder.encode(text) };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });
