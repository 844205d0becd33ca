import { type Broker, createBroker } from "@waybill/broker";
import { type Transport, WaybillClient } from "@waybill/core";
import { namespaces, sharded, shardOf } from "@waybill/core/namespaces";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import { describe, expect, it } from "vitest";
import { sometimesOutOfReach } from "../out-of-reach.test-support.js";

const names = ["east", "north", "west"];

/** Three namespaces with a queue `orders`, any of which can be out of reach. */
async function open() {
  const brokers = new Map<string, Broker>();
  const transports: Record<string, Transport> = {};
  const outOfReach = new Set<string>();
  for (const name of names) {
    const broker = createBroker();
    await broker.createQueue("orders");
    brokers.set(name, broker);
    transports[name] = sometimesOutOfReach(localTransport(broker), () => outOfReach.has(name));
  }
  const transport = sharded(transports);
  const client = new WaybillClient(transport, { serializer: json() });
  const all = Array.from(brokers, ([name, broker]) => [name, localTransport(broker)] as const);
  const direct = new WaybillClient(namespaces(Object.fromEntries(all)), { serializer: json() });
  /** What waits in a namespace, in its order. */
  const bodiesIn = async (name: string) =>
    (await direct.createReceiver(`${name}:orders`).peekMessages(1_000)).map(({ body }) => body as Body);
  return {
    transports,
    client,
    sender: client.createSender("orders"),
    outOfReach,
    bodiesIn,
    everywhere: async () => (await Promise.all(names.map(bodiesIn))).flat(),
    async [Symbol.asyncDispose]() {
      await direct.close();
      await client.close();
      await transport.close();
      await Promise.all(Array.from(brokers.values(), (broker) => broker.close()));
    },
  };
}

interface Body {
  readonly key?: string;
  readonly step: number;
}

const keyOn = (name: string) =>
  Array.from({ length: 100 }, (_, i) => `key-${i}`).find((key) => shardOf(key, names) === name)!;

describe("shardOf", () => {
  it("names the same namespace for a key in every process and release", () => {
    expect(
      ["customer-1", "customer-2", "customer-3", "Müller", ""].map((key) => shardOf(key, names)),
    ).toEqual(["north", "east", "west", "north", "east"]);
    expect(shardOf("customer-1", [...names].reverse())).toBe(shardOf("customer-1", names));
  });

  it("spreads keys evenly", () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 9_000; i++) {
      const shard = shardOf(`customer-${i}`, names);
      counts.set(shard, (counts.get(shard) ?? 0) + 1);
    }
    for (const count of counts.values()) expect(Math.abs(count - 3_000)).toBeLessThan(200);
  });

  it("moves keys only to a namespace that is added", () => {
    const keys = Array.from({ length: 2_000 }, (_, i) => `customer-${i}`);
    const moved = keys.filter((key) => shardOf(key, [...names, "south"]) !== shardOf(key, names));
    expect(new Set(moved.map((key) => shardOf(key, [...names, "south"])))).toEqual(new Set(["south"]));
    expect(Math.abs(moved.length - 500)).toBeLessThan(100);
  });

  it("needs names", () => {
    expect(() => shardOf("customer-1", [])).toThrow(TypeError);
  });
});

it("sends to the namespace of the key", async () => {
  await using shards = await open();
  const { transports } = shards;
  // #region sharded
  const transport = sharded(transports);
  const client = new WaybillClient(transport, { serializer: json() });
  await client.createSender("orders").sendMessages({ partitionKey: "customer-7", body: { step: 1 } });
  // #endregion
  await client.close();
  expect(await shards.bodiesIn(shardOf("customer-7", names))).toEqual([{ step: 1 }]);
});

describe("senders over several namespaces", () => {
  it("keep the messages of a key in one namespace and in order, whether sent alone, as an array or as a batch", async () => {
    await using shards = await open();
    const { sender } = shards;
    const keys = Array.from({ length: 10 }, (_, i) => `customer-${i}`);
    const message = (key: string, step: number) => ({ partitionKey: key, body: { key, step } });
    for (const key of keys) await sender.sendMessages(message(key, 0));
    await sender.sendMessages(keys.flatMap((key) => [message(key, 1), message(key, 2)]));
    let batch = await sender.createMessageBatch();
    for (const key of keys) {
      if (batch.tryAddMessage(message(key, 3))) continue;
      await sender.sendMessages(batch);
      batch = await sender.createMessageBatch();
      expect(batch.tryAddMessage(message(key, 3))).toBe(true);
    }
    await sender.sendMessages(batch);
    for (const name of names) {
      const bodies = await shards.bodiesIn(name);
      expect(bodies.length).toBeGreaterThan(0);
      for (const key of keys) {
        const steps = bodies.filter((body) => body.key === key).map(({ step }) => step);
        expect(steps).toEqual(shardOf(key, names) === name ? [0, 1, 2, 3] : []);
      }
    }
  });

  it("fail for a key whose namespace is out of reach, send nothing elsewhere, and serve the other keys", async () => {
    await using shards = await open();
    const [lost, served] = [keyOn("east"), keyOn("west")];
    shards.outOfReach.add("east");
    const one = { sessionId: lost, body: { key: lost, step: 1 } };
    await expect(shards.sender.sendMessages(one)).rejects.toMatchObject({ code: "connection-lost" });
    await expect(shards.sender.sendMessages([one, one])).rejects.toMatchObject({ code: "connection-lost" });
    await shards.sender.sendMessages(
      [1, 2].map((step) => ({ sessionId: served, body: { key: served, step } })),
    );
    expect(await shards.everywhere()).toEqual([
      { key: served, step: 1 },
      { key: served, step: 2 },
    ]);
    shards.outOfReach.clear();
    await shards.sender.sendMessages(one);
    expect(await shards.bodiesIn("east")).toEqual([{ key: lost, step: 1 }]);
  });

  it("send messages without a key to any namespace that can be reached", async () => {
    await using shards = await open();
    const bodies = Array.from({ length: 6 }, (_, step) => ({ body: { step } }));
    for (const message of bodies) await shards.sender.sendMessages(message);
    for (const name of names) expect(await shards.bodiesIn(name)).toHaveLength(2);
    shards.outOfReach.add("north");
    for (const message of bodies) await shards.sender.sendMessages(message);
    await shards.sender.sendMessages(bodies);
    await shards.sender.sendMessages(bodies);
    await shards.sender.sendMessages(bodies);
    expect(await shards.bodiesIn("north")).toHaveLength(2);
    expect(await shards.everywhere()).toHaveLength(6 + 6 + 18);
  });

  it("say which messages of an array were sent before a namespace was lost", async () => {
    await using shards = await open();
    const [first, second] = [keyOn("west"), keyOn("east")];
    const messages = [first, second, first].map((key, step) => ({ sessionId: key, body: { key, step } }));
    await shards.sender.sendMessages(messages);
    shards.outOfReach.add("east");
    await expect(shards.sender.sendMessages(messages)).rejects.toMatchObject({
      code: "partially-sent",
      sendResults: [{ status: "sent" }, { status: "failed" }, { status: "unsent" }],
    });
  });

  it("schedule in the namespace of the key, and cancel only where the namespace is named", async () => {
    await using shards = await open();
    const key = keyOn("north");
    const at = new Date(Date.now() + 3_600_000);
    const [number] = await shards.sender.scheduleMessages({ sessionId: key, body: { key, step: 1 } }, at);
    await expect(shards.sender.cancelScheduledMessages(number!)).rejects.toMatchObject({
      code: "not-supported",
    });
    await shards.client.createSender("north:orders").cancelScheduledMessages(number!);
    expect(await shards.everywhere()).toEqual([]);
    const both = ["east", "north"].map((name) => ({ sessionId: keyOn(name), body: {} }));
    await expect(shards.sender.scheduleMessages(both, at)).rejects.toMatchObject({
      code: "operation-invalid",
    });
  });

  it("receive only where the namespace is named", async () => {
    await using shards = await open();
    expect(() => shards.client.createReceiver("orders")).toThrow(
      "Its namespace has to stand before its name, as in billing:invoices",
    );
  });
});
