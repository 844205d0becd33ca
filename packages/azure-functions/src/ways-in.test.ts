import { DeadLetterError, parseDeadLetterRecord, WaybillClient } from "@waybill/core";
import { azureTransport } from "@waybill/transport-azure";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Extension, openFunctionsHost } from "./functions-host.test-support.js";
import { app } from "./functions-worker.test-support.js";
import type { QueueTrigger } from "./index.js";
import { formats, type Order, orderFunctions, orderPlaced } from "./orders.test-support.js";

interface WayIn {
  readonly way: string;
  readonly trigger: Partial<QueueTrigger>;
  readonly extension?: Extension;
}

/** How messages come to a function, each settled in its own way. */
const waysIn: readonly WayIn[] = [
  { way: "bytes of the host, settled by lock token", trigger: {} },
  { way: "the SDK binding, version 0.5 by its shape", trigger: { sdkBinding: true } },
  {
    way: "the SDK binding, the installed preview over gRPC",
    trigger: { sdkBinding: true },
    extension: "0.2",
  },
];

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

let count = 0;

/** The preview begins to decode in the middle of each message, of which its AMQP library warns. */
beforeEach(() => void vi.spyOn(console, "warn").mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

describe.each(waysIn)("$way", ({ trigger, extension }) => {
  /** A host with one function on the queue `orders`, which keeps what it handled. */
  async function open(settings: Partial<QueueTrigger> = {}, handle: (order: Order) => void = () => {}) {
    const host = await openFunctionsHost({}, extension);
    const functions = orderFunctions(host.connectionString);
    closing.push(
      () => host[Symbol.asyncDispose](),
      () => functions.close(),
    );
    const handled: Order[] = [];
    const errors: string[] = [];
    const name = `orders-${++count}`;
    app.serviceBusQueue(
      name,
      functions.serviceBusQueue(
        { connection: "ServiceBus", queueName: "orders", ...trigger, ...settings },
        {
          processMessage: {
            "order-placed": ({ body }) => {
              handle(body);
              handled.push(body);
            },
          },
          processError: ({ error }) => void errors.push((error as Error).message),
        },
        { maxConcurrentCalls: 1 },
      ),
    );
    const sending = azureTransport(host.client);
    const send = async (format: keyof typeof formats, ...orders: Order[]) => {
      const client = new WaybillClient(sending, formats[format]);
      await client.createSender("orders").sendMessages(orders.map((order) => orderPlaced.message(order)));
    };
    const deadLetters = () =>
      new WaybillClient(sending, formats.json)
        .createReceiver("orders", { subQueueType: "deadLetter" })
        .receiveMessages(10, { maxWaitTimeInMs: 500 });
    const counts = () => {
      const { activeMessageCount, deadLetterMessageCount } = host.broker.getEntity(
        "orders",
      ) as never as Record<string, number>;
      return { active: activeMessageCount, deadLettered: deadLetterMessageCount };
    };
    return { host, name, send, handled, errors, deadLetters, counts };
  }

  it("hands over Avro, MessagePack and JSON bodies unharmed, and completes them", async () => {
    const { host, name, send, handled, errors, counts } = await open({ cardinality: "many" });
    await send("avro", { id: "a", amount: 0.1 });
    await send("msgpack", { id: "b", amount: 2, picture: new Uint8Array([0xff, 0xfe, 0x80]) });
    await send("json", { id: "c", amount: 3 });
    expect(await host.deliver(name, 10)).toBeUndefined();
    expect(errors).toEqual([]);
    expect(handled).toEqual([
      { id: "a", amount: 0.1 },
      { id: "b", amount: 2, picture: new Uint8Array([0xff, 0xfe, 0x80]) },
      { id: "c", amount: 3 },
    ]);
    expect(counts()).toEqual({ active: 0, deadLettered: 0 });
  });

  it("dead-letters with the handler's reason, description and properties", async () => {
    const { host, name, send, deadLetters } = await open({}, () => {
      throw new DeadLetterError("NoStock", "sold out", { propertiesToModify: { warehouse: "north 7" } });
    });
    await send("avro", { id: "a", amount: 1 });
    expect(await host.deliver(name)).toBeUndefined();
    const [dead] = await deadLetters();
    expect(dead).toMatchObject({
      deadLetterReason: "NoStock",
      deadLetterErrorDescription: "sold out",
      applicationProperties: { warehouse: "north 7" },
    });
  });

  it("completes the others of a batch with a poison message and a failing handler", async () => {
    const { host, name, send, handled, counts, deadLetters } = await open(
      { cardinality: "many" },
      ({ id }) => {
        if (id === "failing") throw new Error("No database.");
      },
    );
    await send("avro", { id: "first", amount: 1 });
    await send("json", { id: "failing", amount: 2 });
    await host.client.createSender("orders").sendMessages({
      body: Buffer.from("C301FFFE", "hex"),
      subject: "order-placed",
      contentType: "application/avro",
      applicationProperties: { messageVersion: 1 },
    });
    await send("msgpack", { id: "last", amount: 3 });
    expect(await host.deliver(name, 10)).toBeUndefined();
    expect(handled.map(({ id }) => id)).toEqual(["first", "last"]);
    expect(counts()).toEqual({ active: 1, deadLettered: 1 });
    const [dead] = await deadLetters();
    const record = parseDeadLetterRecord(dead!);
    expect(dead!.deadLetterReason).toBe("DeserializationFailed");
    expect(record?.attempts[0]).toMatchObject({ serializer: "avro", stage: "decode" });
  });

  it("delivers a message again whose handler failed", async () => {
    let isDown = true;
    const { host, name, send, handled, errors } = await open({}, () => {
      if (isDown) throw new Error("No database.");
    });
    await send("msgpack", { id: "a", amount: 1 });
    expect(await host.deliver(name)).toBeUndefined();
    expect(errors).toEqual(["No database."]);
    isDown = false;
    await host.deliver(name);
    expect(handled).toEqual([{ id: "a", amount: 1 }]);
  });
});
