import { ServiceBusClient } from "@azure/service-bus";
import {
  DeadLetterError,
  DeferError,
  parseDeadLetterRecord,
  type Serializer,
  WaybillClient,
} from "@waybill/core";
import { unavailableFailure } from "@waybill/core/serializer";
import { json } from "@waybill/serializer-json";
import { azureTransport } from "@waybill/transport-azure";
import { describe, expect, it } from "vitest";
import { openFunctionsHost } from "./functions-host.test-support.js";
import { app, registeredFunction, terminateApp } from "./functions-worker.test-support.js";
import { waybillFunctions } from "./index.js";
import {
  clientOptions,
  formats,
  orderCancelled,
  orderFunctions,
  orderPlaced,
  type Types,
} from "./orders.test-support.js";

const trigger = { connection: "ServiceBus", queueName: "orders" };
const quiet = { processMessage: () => {} };

describe("a registered function", () => {
  it("asks the host for bytes, and not to complete what is settled by lock token", () => {
    const functions = orderFunctions("Endpoint=sb://localhost;SharedAccessKeyName=a;SharedAccessKey=b");
    app.serviceBusQueue("asks", functions.serviceBusQueue(trigger, quiet));
    expect(registeredFunction("asks").trigger).toMatchObject({
      type: "serviceBusTrigger",
      dataType: "binary",
      autoCompleteMessages: false,
    });
  });

  it("leaves completion to the host where it cannot settle by itself", () => {
    const functions = waybillFunctions({ serializer: json() });
    app.serviceBusTopic(
      "host",
      functions.serviceBusTopic(
        { connection: "ServiceBus", topicName: "events", subscriptionName: "billing" },
        quiet,
      ),
    );
    expect(registeredFunction("host").trigger).toMatchObject({ autoCompleteMessages: true });
  });

  it("is refused where a batch could only be settled as a whole", () => {
    const functions = waybillFunctions({ serializer: json() });
    expect(() => functions.serviceBusQueue({ ...trigger, cardinality: "many" }, quiet)).toThrow(
      /serviceBusClient/,
    );
  });

  it("is refused with a retry that would copy what the host has changed", () => {
    const functions = orderFunctions("Endpoint=sb://localhost;SharedAccessKeyName=a;SharedAccessKey=b");
    expect(() => functions.serviceBusQueue(trigger, quiet, { retry: { delayInMs: 1_000 } })).toThrow(
      /sdkBinding/,
    );
  });

  it("is refused with an option that there is not", () => {
    const functions = orderFunctions("Endpoint=sb://localhost;SharedAccessKeyName=a;SharedAccessKey=b");
    const options = { maxConcurrentCall: 2 } as never;
    expect(() => functions.serviceBusQueue(trigger, quiet, options)).toThrow(/maxConcurrentCalls/);
  });

  it("is refused with a handler of an unknown message type", () => {
    const functions = orderFunctions("Endpoint=sb://localhost;SharedAccessKeyName=a;SharedAccessKey=b");
    const handlers = { processMessage: { "order-palced": () => {} } } as never;
    expect(() => functions.serviceBusQueue(trigger, handlers)).toThrow(/order-palced/);
  });

  it("reads its queue's name from the app settings, like the host", async () => {
    await using host = await openFunctionsHost();
    process.env.OrdersQueue = "orders";
    const functions = orderFunctions(host.connectionString);
    const options = functions.serviceBusQueue(
      { ...trigger, queueName: "%OrdersQueue%" },
      {
        processMessage: () => {
          throw new Error("No database.");
        },
      },
    );
    app.serviceBusQueue("setting", { ...options, queueName: "orders" });
    await send(host.connectionString, { id: "a", amount: 1 });
    await host.deliver("setting");
    expect(host.logs.join()).toContain("No database.");
    await functions.close();
  });
});

describe("a function on a dead-letter queue", () => {
  const deadTrigger = { ...trigger, queueName: "orders/$DeadLetterQueue" };
  const orders = "Endpoint=sb://localhost;SharedAccessKeyName=a;SharedAccessKey=b";

  it.each([
    ["lock token", {}],
    ["the SDK binding", { sdkBinding: true }],
  ])("handles what is there and gets what cannot be read, settled by %s", async (way, settings) => {
    await using host = await openFunctionsHost();
    await using functions = orderFunctions(host.connectionString);
    const seen: string[] = [];
    const name = `dead letters by ${way}`;
    app.serviceBusQueue(
      name,
      functions.serviceBusQueue(
        { ...deadTrigger, ...settings },
        {
          processMessage: { "order-placed": ({ body }) => void seen.push(`order ${body.id}`) },
          processUndecoded: ({ failure }) =>
            void seen.push(failure.status === "undeserializable" ? failure.reason : failure.status),
          processError: ({ error }) => void seen.push((error as Error).message),
        },
      ),
    );
    const client = new WaybillClient(azureTransport(host.client), clientOptions);
    const receiver = client.createReceiver("orders");
    const unhandled = orderCancelled.message({ id: "b" });
    await client
      .createSender("orders")
      .sendMessages([orderPlaced.message({ id: "a", amount: 1 }), unhandled]);
    await host.client.createSender("orders").sendMessages({ body: Buffer.from([0xff, 0xfe]) });
    // The client dead-letters the third by itself.
    for (const message of await receiver.receiveMessages(3, { maxWaitTimeInMs: 500 }))
      await receiver.deadLetterMessage(message);
    for (let delivery = 0; delivery < 3; delivery++) expect(await host.deliver(name)).toBeUndefined();
    expect(seen).toEqual(["order a", "UnhandledMessageType", "NoDeserializer"]);
    expect(host.broker.getEntity("orders")).toMatchObject({ totalMessageCount: 0 });
  });

  it("cannot dead-letter again: the message is abandoned, and the error says so", async () => {
    await using host = await openFunctionsHost();
    await using functions = orderFunctions(host.connectionString);
    const errors: string[] = [];
    app.serviceBusQueue(
      "dead-letters-again",
      functions.serviceBusQueue(deadTrigger, {
        processMessage() {
          throw new DeadLetterError("NoStock", "sold out");
        },
        processUndecoded: () => {},
        processError: ({ error }) => void errors.push((error as Error).message),
      }),
    );
    const client = new WaybillClient(azureTransport(host.client), clientOptions);
    const receiver = client.createReceiver("orders");
    await client.createSender("orders").sendMessages(orderPlaced.message({ id: "a", amount: 1 }));
    for (const message of await receiver.receiveMessages(1)) await receiver.deadLetterMessage(message);
    await host.deliver("dead-letters-again");
    expect(errors.join()).toContain("orders/$DeadLetterQueue");
    expect(errors.join()).toContain("cannot be dead-lettered again");
    expect(host.broker.getEntity("orders")).toMatchObject({ deadLetterMessageCount: 1 });
  });

  it("is refused without a handler of what cannot be read, which no other trigger may have, and with sessions", () => {
    const functions = orderFunctions(orders);
    const undecoded = { ...quiet, processUndecoded: () => {} };
    expect(() => functions.serviceBusQueue(deadTrigger, quiet)).toThrow(/needs processUndecoded/);
    expect(() => functions.serviceBusQueue(trigger, undecoded)).toThrow(
      /is for triggers on dead-letter queues/,
    );
    const inSessions = { ...deadTrigger, isSessionsEnabled: true };
    expect(() => functions.serviceBusQueue(inSessions, undecoded)).toThrow(/has no sessions/);
  });
});

describe("a function whose host decodes text", () => {
  it("does not guess a body with replaced bytes: its outcome names the setting that keeps them", async () => {
    await using host = await openFunctionsHost();
    await using functions = orderFunctions(host.connectionString);
    const events: string[] = [];
    const options = functions.serviceBusQueue(trigger, {
      processMessage: { "order-placed": () => {} },
      processError: ({ error }) => void events.push((error as Error).message),
    });
    app.serviceBusQueue("text", { ...options, dataType: "string" } as never);
    await send(
      host.connectionString,
      { id: "a", amount: 1, picture: new Uint8Array([0xff, 0xfe]) },
      "msgpack",
    );
    expect(await host.deliver("text")).toBeUndefined();
    expect(events.join()).toContain('dataType: "binary"');
    expect(events.join()).toContain("sdkBinding: true");
    const [dead] = await new WaybillClient(azureTransport(host.client), clientOptions)
      .createReceiver("orders", { subQueueType: "deadLetter" })
      .receiveMessages(1);
    expect(dead).toMatchObject({ deadLetterReason: "DeserializationFailed" });
    expect(parseDeadLetterRecord(dead!)?.attempts[0]?.reason).toBe("utf8-invalid");
    // The message itself is whole: it can be read and sent again.
    expect(dead!.body).toEqual({ id: "a", amount: 1, picture: new Uint8Array([0xff, 0xfe]) });
  });

  it("reads JSON that lost nothing", async () => {
    await using host = await openFunctionsHost();
    await using functions = orderFunctions(host.connectionString);
    const handled: unknown[] = [];
    const options = functions.serviceBusQueue(trigger, {
      processMessage: { "order-placed": ({ body }) => void handled.push(body) },
    });
    app.serviceBusQueue("text-json", { ...options, dataType: "string" } as never);
    await send(host.connectionString, { id: "a", amount: 1.5 });
    await host.deliver("text-json");
    expect(handled).toEqual([{ id: "a", amount: 1.5 }]);
  });
});

describe("a function without a client", () => {
  it("completes by returning and abandons by throwing the handler's error", async () => {
    await using host = await openFunctionsHost();
    await using functions = waybillFunctions<Types>(clientOptions);
    let fails = true;
    app.serviceBusQueue(
      "returns",
      functions.serviceBusQueue(trigger, {
        processMessage: () => {
          if (fails) throw new Error("No database.");
        },
      }),
    );
    await send(host.connectionString, { id: "a", amount: 1 });
    expect(await host.deliver("returns")).toMatchObject({ message: "No database." });
    expect(activeMessages(host)).toBe(1);
    fails = false;
    expect(await host.deliver("returns")).toBeUndefined();
    expect(activeMessages(host)).toBe(0);
  });

  it("abandons what should be dead-lettered, and says what would dead-letter it", async () => {
    await using host = await openFunctionsHost();
    await using functions = waybillFunctions<Types>(clientOptions);
    const errors: string[] = [];
    app.serviceBusQueue(
      "cannot",
      functions.serviceBusQueue(trigger, {
        processMessage: { "order-placed": () => {} },
        processError: ({ error }) => void errors.push((error as Error).message),
      }),
    );
    await host.client
      .createSender("orders")
      .sendMessages({ body: Buffer.from([0xc1]), contentType: "application/x-msgpack" });
    expect(await host.deliver("cannot")).toMatchObject({ code: "unavailable" });
    expect(activeMessages(host)).toBe(1);
    expect(errors.join()).toContain("serviceBusClient");
  });
});

describe("a function that the host completes for, with a client beside it", () => {
  it("dead-letters by lock token", async () => {
    await using host = await openFunctionsHost();
    await using functions = orderFunctions(host.connectionString);
    app.serviceBusQueue(
      "beside",
      functions.serviceBusQueue(
        { ...trigger, autoCompleteMessages: true },
        { processMessage: { "order-placed": () => {} }, processError: () => {} },
      ),
    );
    await host.client
      .createSender("orders")
      .sendMessages({ body: Buffer.from([0xc1]), contentType: "application/x-msgpack" });
    expect(await host.deliver("beside")).toBeUndefined();
    expect(host.broker.getEntity("orders")).toMatchObject({
      activeMessageCount: 0,
      deadLetterMessageCount: 1,
    });
  });
});

describe("the messages of a session, by the SDK binding", () => {
  it("are handled in order, with the state of the session", async () => {
    await using host = await openFunctionsHost({ requiresSession: true });
    await using functions = orderFunctions(host.connectionString);
    const handled: string[] = [];
    app.serviceBusQueue(
      "session",
      functions.serviceBusQueue(
        { ...trigger, sdkBinding: true, isSessionsEnabled: true, cardinality: "many" },
        {
          processMessage: {
            "order-placed": async ({ body: { id } }, { session }) => {
              handled.push(`${session?.sessionId} ${id}`);
              await session?.setSessionState({ last: id });
            },
          },
        },
      ),
    );
    await using client = new WaybillClient(azureTransport(host.client), formats.json);
    const message = (id: string) => ({ ...orderPlaced.message({ id, amount: 1 }), sessionId: "s" });
    await client.createSender("orders").sendMessages([message("a"), message("b"), message("c")]);
    expect(await host.deliver("session", 10)).toBeUndefined();
    expect(handled).toEqual(["s a", "s b", "s c"]);
    expect(activeMessages(host)).toBe(0);
    const session = await client.acceptSession("orders", "s");
    expect(await session.getSessionState()).toEqual({ last: "c" });
  });

  it("name the action that the installed extension lacks", async () => {
    await using host = await openFunctionsHost({ requiresSession: true });
    await using functions = orderFunctions(host.connectionString);
    const errors: string[] = [];
    app.serviceBusQueue(
      "state",
      functions.serviceBusQueue(
        { ...trigger, sdkBinding: true, isSessionsEnabled: true },
        {
          processMessage: async (_message, { session }) => void (await session?.getSessionState()),
          processError: ({ error }) => void errors.push((error as Error).message),
        },
      ),
    );
    await using client = new WaybillClient(azureTransport(host.client), formats.json);
    await client
      .createSender("orders")
      .sendMessages({ ...orderPlaced.message({ id: "a", amount: 1 }), sessionId: "s" });
    await host.deliver("state");
    expect(errors.join()).toContain("no action getSessionState");
  });
});

describe("a handler", () => {
  it("can retry after a delay and defer, by the SDK binding", async () => {
    await using host = await openFunctionsHost();
    await using functions = orderFunctions(host.connectionString);
    app.serviceBusQueue(
      "retries",
      functions.serviceBusQueue(
        { ...trigger, sdkBinding: true },
        {
          processMessage: ({ messageId }) => {
            throw messageId === "later" ? new DeferError() : new Error("No database.");
          },
          processError: () => {},
        },
        { retry: { delayInMs: 60_000 } },
      ),
    );
    const sender = host.client.createSender("orders");
    for (const messageId of ["again", "later"]) {
      await sender.sendMessages({ body: { id: "a" }, contentType: "application/json", messageId });
      expect(await host.deliver("retries")).toBeUndefined();
    }
    const peeked = await host.client.createReceiver("orders").peekMessages(10);
    expect(peeked.map(({ state }) => state).sort()).toEqual(["deferred", "scheduled"]);
  });

  it("keeps locks of a batch and reads a message again while its dependency is out of reach", async () => {
    await using host = await openFunctionsHost();
    let attempts = 0;
    const flaky = jsonBehind(() => ++attempts > 1);
    await using functions = waybillFunctions({
      serializer: flaky,
      serviceBusClient: () => new ServiceBusClient(host.connectionString),
      unavailableBackoff: { initialDelayInMs: 10 },
    });
    const handled: unknown[] = [];
    app.serviceBusQueue(
      "flaky",
      functions.serviceBusQueue(trigger, {
        processMessage: ({ body }) => void handled.push(body),
        processError: () => {},
      }),
    );
    await host.client
      .createSender("orders")
      .sendMessages({ body: { id: "a" }, contentType: "application/json" });
    expect(await host.deliver("flaky")).toBeUndefined();
    expect(handled).toEqual([{ id: "a" }]);
  });

  it("gives a message back that stays unreadable for longer than holdForInMs", async () => {
    await using host = await openFunctionsHost();
    const down = jsonBehind(() => false);
    await using functions = waybillFunctions({
      serializer: down,
      serviceBusClient: () => new ServiceBusClient(host.connectionString),
    });
    app.serviceBusQueue(
      "down",
      functions.serviceBusQueue(trigger, { ...quiet, processError: () => {} }, { holdForInMs: 50 }),
    );
    await host.client
      .createSender("orders")
      .sendMessages({ body: { id: "a" }, contentType: "application/json" });
    expect(await host.deliver("down")).toBeUndefined();
    const [again] = await host.client.createReceiver("orders").peekMessages(1);
    expect(again?.deliveryCount).toBe(1);
  });
});

describe("the client", () => {
  it("sends over one connection, which is closed when the app terminates", async () => {
    await using host = await openFunctionsHost();
    let connections = 0;
    const functions = waybillFunctions<Types>({
      ...clientOptions,
      serviceBusClient: () => {
        connections++;
        return new ServiceBusClient(host.connectionString);
      },
    });
    app.hook.appTerminate(() => functions.close());
    expect(connections).toBe(0);
    await functions.client.createSender("orders").sendMessages(orderPlaced.message({ id: "a", amount: 1 }));
    const { client } = functions;
    expect(connections).toBe(1);
    expect(activeMessages(host)).toBe(1);
    await terminateApp();
    expect(client.isClosed).toBe(true);
  });

  it("makes the text of an output binding, and refuses what that would lose", async () => {
    const functions = waybillFunctions<Types>(clientOptions);
    expect(await functions.outputText({ body: { id: "a" } })).toBe('{"id":"a"}');
    await expect(functions.outputText(orderPlaced.message({ id: "a", amount: 1 }))).rejects.toMatchObject({
      code: "not-supported",
      text: expect.stringContaining("subject"),
    });
  });
});

async function send(
  connectionString: string,
  order: Parameters<typeof orderPlaced.message>[0],
  format: keyof typeof formats = "json",
): Promise<void> {
  const serviceBusClient = new ServiceBusClient(connectionString);
  await using client = new WaybillClient(azureTransport(serviceBusClient), formats[format]);
  await client.createSender("orders").sendMessages(orderPlaced.message(order));
  await serviceBusClient.close();
}

function activeMessages({ broker }: Awaited<ReturnType<typeof openFunctionsHost>>): number {
  return (broker.getEntity("orders") as unknown as { activeMessageCount: number }).activeMessageCount;
}

/** JSON whose schema registry, say, is reached only now and then. */
function jsonBehind(isReachable: () => boolean): Serializer {
  const serializer = json();
  const deserialize: Serializer["deserialize"] = (bytes, context) => {
    if (isReachable()) return serializer.deserialize(bytes, context);
    throw unavailableFailure("The registry is out of reach.");
  };
  return Object.create(serializer, { deserialize: { value: deserialize } }) as Serializer;
}
