import { createBroker, createManualClock } from "@waybill/broker";
import { type EntitySetting, transportCases } from "@waybill/conformance";
import { type ProcessErrorArgs, WaybillClient } from "@waybill/core";
import { type FailoverEvent, type FailoverOptions, failover } from "@waybill/core/namespaces";
import { unavailableFailure } from "@waybill/core/serializer";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import { describe, expect, it } from "vitest";
import { sometimesOutOfReach } from "../out-of-reach.test-support.js";

const turns = async () => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
};

/** A pair of namespaces with a queue `orders`, either of which can be out of reach, and a client whose serializer can be without its registry. */
async function open(options: FailoverOptions = {}) {
  const clock = createManualClock(new Date("2026-11-05T12:00:00Z"));
  const brokers = { east: createBroker({ clock }), west: createBroker({ clock }) };
  for (const broker of Object.values(brokers)) {
    await broker.createQueue("orders", { lockDurationMs: 30_000 });
    await broker.createQueue("visits", { requiresSession: true, lockDurationMs: 30_000 });
  }
  const outOfReach = new Set<string>();
  const failovers: FailoverEvent[] = [];
  const reach = (name: "east" | "west") =>
    sometimesOutOfReach(localTransport(brokers[name]), () => outOfReach.has(name));
  const pair = failover(
    { east: reach("east"), west: reach("west") },
    { onFailover: (event) => failovers.push(event), ...options },
  );
  const registry = { isUp: true };
  const sound = json();
  const client = new WaybillClient(pair, {
    serializer: {
      ...sound,
      deserialize(bytes, context) {
        if (!registry.isUp) throw unavailableFailure("The registry does not respond.");
        return sound.deserialize(bytes, context);
      },
    },
  });
  const direct = {
    east: new WaybillClient(localTransport(brokers.east), { serializer: json() }),
    west: new WaybillClient(localTransport(brokers.west), { serializer: json() }),
  };
  const handled: unknown[] = [];
  const errors: ProcessErrorArgs[] = [];
  return {
    pair,
    client,
    brokers,
    direct,
    outOfReach,
    registry,
    failovers,
    handled,
    errors,
    handlers: {
      processMessage: ({ body }: { body: unknown }) => void handled.push(body),
      processError: (args: ProcessErrorArgs) => void errors.push(args),
    },
    codes: () =>
      errors.map(({ error, errorSource }) => `${errorSource} ${(error as { code?: string }).code}`),
    async pass(durationMs: number) {
      for (let passed = 0; passed < durationMs; passed += 5_000) {
        clock.advance(5_000);
        await turns();
      }
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await pair.close();
      for (const name of ["east", "west"] as const) {
        await direct[name].close();
        await brokers[name].close();
      }
    },
  };
}

it("can follow what the alias of a geo-disaster recovery resolves to", async () => {
  const [shopEast, shopWest] = [createBroker(), createBroker()].map((broker) => localTransport(broker));
  const resolveCname = async (_host: string) => ["shop-east.servicebus.windows.net"];
  const reported: string[] = [];
  // #region failover
  const transport = failover(
    { east: shopEast!, west: shopWest! },
    {
      async activeNamespace() {
        const [host] = await resolveCname("shop.servicebus.windows.net");
        return host?.startsWith("shop-west.") ? "west" : "east";
      },
      onFailover: ({ from, to, reason }) => reported.push(`${to} instead of ${from}: ${reason}`),
    },
  );
  // #endregion
  expect(transport.activeNamespace).toBe("east");
  await transport.close();
});

describe("a pair of namespaces", () => {
  it("uses the first, and the second once the first has not answered for a minute", async () => {
    await using fixture = await open();
    const { client, pair, handled, outOfReach, failovers } = fixture;
    const sender = client.createSender("orders");
    client.subscribe("orders", fixture.handlers);
    await sender.sendMessages({ body: 1 });
    await turns();
    outOfReach.add("east");
    await expect(sender.sendMessages({ body: 2 })).rejects.toMatchObject({ code: "connection-lost" });
    await fixture.pass(55_000);
    expect(pair.activeNamespace).toBe("east");
    await fixture.pass(15_000);
    expect(pair.activeNamespace).toBe("west");
    expect(failovers).toEqual([{ from: "east", to: "west", reason: "unreachable" }]);
    await sender.sendMessages({ body: 2 });
    await turns();
    expect(handled).toEqual([1, 2]);
    expect(fixture.brokers.west.getEntity("orders").totalMessageCount).toBe(0);
  });

  it("stays where it is if the first answers again in time, or if the second does not answer either", async () => {
    await using fixture = await open();
    const sender = fixture.client.createSender("orders");
    const fail = () => expect(sender.sendMessages({ body: 1 })).rejects.toThrow("connection-lost");
    fixture.outOfReach.add("east");
    await fail();
    await fixture.pass(40_000);
    fixture.outOfReach.clear();
    await fixture.pass(60_000);
    fixture.outOfReach.add("east").add("west");
    await fail();
    await fixture.pass(200_000);
    expect(fixture.pair.activeNamespace).toBe("east");
    fixture.outOfReach.delete("west");
    await fixture.pass(10_000);
    expect(fixture.pair.activeNamespace).toBe("west");
  });

  it("uses the namespace that is named, also when the first can be reached, and again the first", async () => {
    let alias = "east";
    await using fixture = await open({ activeNamespace: async () => alias });
    const { client, handled, direct } = fixture;
    client.subscribe("orders", fixture.handlers);
    for (const name of ["east", "west"] as const)
      await direct[name].createSender("orders").sendMessages({ body: name });
    await turns();
    expect(handled).toEqual(["east"]);
    alias = "west";
    await fixture.pass(10_000);
    expect(handled).toEqual(["east", "west"]);
    await direct.east.createSender("orders").sendMessages({ body: "left in the east" });
    await fixture.pass(10_000);
    expect(handled).toEqual(["east", "west"]);
    alias = "east";
    await fixture.pass(10_000);
    expect(handled).toEqual(["east", "west", "left in the east"]);
    expect(fixture.failovers.map(({ reason }) => reason)).toEqual(["asked", "asked"]);
  });

  it("settles a message that is being handled in its own namespace, never in the other one", async () => {
    let alias = "east";
    await using fixture = await open({ activeNamespace: () => alias });
    const { client, direct, brokers } = fixture;
    for (const name of ["east", "west"] as const)
      await direct[name].createSender("orders").sendMessages({ body: name });
    const receiver = client.createReceiver("orders");
    const [message] = await receiver.receiveMessages(1);
    expect(message?.body).toBe("east");
    alias = "west";
    await fixture.pass(10_000);
    await receiver.completeMessage(message!);
    expect(brokers.east.getEntity("orders").totalMessageCount).toBe(0);
    expect(brokers.west.getEntity("orders").totalMessageCount).toBe(1);
  });

  it("rejects the settlement with message-lock-lost if that namespace is gone", async () => {
    let alias = "east";
    await using fixture = await open({ activeNamespace: () => alias });
    const { client, direct } = fixture;
    await direct.east.createSender("orders").sendMessages({ body: 1 });
    const receiver = client.createReceiver("orders");
    const [message] = await receiver.receiveMessages(1);
    fixture.outOfReach.add("east");
    alias = "west";
    await fixture.pass(10_000);
    await expect(receiver.completeMessage(message!)).rejects.toMatchObject({
      code: "message-lock-lost",
      message: expect.stringContaining("locked in the namespace east"),
    });
  });

  it("lets held messages go and reports them, and touches none of the other namespace", async () => {
    let alias = "east";
    await using fixture = await open({ activeNamespace: () => alias });
    const { client, direct, registry, handled, brokers } = fixture;
    await direct.east.createSender("orders").sendMessages([{ body: "e1" }, { body: "e2" }]);
    registry.isUp = false;
    client.subscribe("orders", fixture.handlers, { maxConcurrentCalls: 2 });
    await fixture.pass(20_000);
    expect(handled).toEqual([]);
    alias = "west";
    await fixture.pass(60_000);
    expect(fixture.codes()).toEqual(expect.arrayContaining(["renewLock message-lock-lost"]));
    registry.isUp = true;
    await direct.west.createSender("orders").sendMessages([{ body: "w1" }, { body: "w2" }]);
    await fixture.pass(60_000);
    expect(handled).toEqual(["w1", "w2"]);
    expect(brokers.west.getEntity("orders").totalMessageCount).toBe(0);
    // They wait for whoever receives from there.
    expect(brokers.east.getEntity("orders").totalMessageCount).toBe(2);
  });

  it("takes no sequence number of one namespace for one of the other", async () => {
    let alias = "east";
    await using fixture = await open({ activeNamespace: () => alias });
    const { client, direct } = fixture;
    for (const name of ["east", "west"] as const) {
      await direct[name].createSender("orders").sendMessages({ body: name });
      const receiver = direct[name].createReceiver("orders");
      const [message] = await receiver.receiveMessages(1);
      await receiver.deferMessage(message!);
    }
    const sender = client.createSender("orders");
    const at = new Date("2026-11-06T12:00:00Z");
    const [scheduled] = await sender.scheduleMessages({ body: "later" }, at);
    alias = "west";
    await fixture.pass(10_000);
    const receiver = client.createReceiver("orders");
    await expect(receiver.receiveDeferredMessages([1n])).rejects.toMatchObject({ code: "message-not-found" });
    await expect(sender.cancelScheduledMessages(scheduled!)).rejects.toMatchObject({
      code: "message-not-found",
    });
    // What is peeked now is of this namespace.
    await receiver.peekMessages(10);
    const [deferred] = await receiver.receiveDeferredMessages([1n]);
    expect(deferred?.body).toBe("west");
  });

  it("ends sessions of the lost namespace, and goes on with those of the other one", async () => {
    let alias = "east";
    await using fixture = await open({ activeNamespace: () => alias });
    const { client, direct, handled } = fixture;
    const message = (body: string) => ({ sessionId: "customer-7", body });
    await direct.east.createSender("visits").sendMessages(message("e1"));
    const session = await client.acceptSession("visits", "customer-7");
    alias = "west";
    await fixture.pass(10_000);
    await expect(session.setSessionState({ seen: 1 })).rejects.toMatchObject({ code: "session-lock-lost" });
    await session.close();
    client.subscribeSessions("visits", fixture.handlers);
    await direct.west.createSender("visits").sendMessages(message("w1"));
    await fixture.pass(5_000);
    expect(handled).toEqual(["w1"]);
    alias = "east";
    await fixture.pass(20_000);
    expect(handled).toEqual(["w1", "e1"]);
    expect(fixture.codes()).toContain("receive session-lock-lost");
  });

  it("sends a batch that was filled before", async () => {
    let alias = "east";
    await using fixture = await open({ activeNamespace: () => alias });
    const sender = fixture.client.createSender("orders");
    const batch = await sender.createMessageBatch();
    batch.tryAddMessage({ body: 1 });
    alias = "west";
    await fixture.pass(10_000);
    await sender.sendMessages(batch);
    expect(fixture.brokers.west.getEntity("orders").totalMessageCount).toBe(1);
  });

  it("needs two transports, and options that exist", () => {
    const transport = localTransport(createBroker());
    expect(() => failover({ east: transport })).toThrow("needs two transports");
    const misspelt = { checkInterval: 1 } as FailoverOptions;
    expect(() => failover({ east: transport, west: transport }, misspelt)).toThrow(/no option/);
  });
});

describe("failover() passes the conformance suite for transports", () => {
  const create = async () => {
    const clock = createManualClock(new Date("2026-11-05T12:00:00Z"));
    const broker = createBroker({ clock });
    const spare = createBroker({ clock });
    const transport = failover({ east: localTransport(broker), west: localTransport(spare) });
    let created = 0;
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
        await new Promise((resolve) => setImmediate(resolve));
      },
      now: () => new Date(clock.now()),
      async [Symbol.asyncDispose](): Promise<void> {
        await transport.close();
        await Promise.all([broker.close(), spare.close()]);
      },
    };
  };
  for (const { name, run } of transportCases({
    create,
    capabilities: ["scheduling", "deferral", "sessions", "sessionEnumeration", "rules", "transferDeadLetter"],
    maxMessageBytes: 1024 * 1024,
  }))
    it(name, run);
});
