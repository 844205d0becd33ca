import type { QueueDescription } from "@waybill/broker";
import {
  bodyType,
  defineMessage,
  type Message,
  type ProcessErrorArgs,
  parseDeadLetterRecord,
  type ReceivedMessage,
  type TypedMessageHandlers,
  WaybillClient,
  type WaybillClientOptions,
} from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { describe, expect, expectTypeOf, it } from "vitest";
import { createFixture, type Fixture, quiet, until } from "../../test/fixture.js";

interface OrderPlaced {
  readonly orderId: string;
}

const orderPlaced = defineMessage("order-placed", {
  version: 2,
  schemas: { 1: bodyType<{ id: number }>(), 2: bodyType<OrderPlaced>() },
  upcasters: { 1: ({ id }) => ({ orderId: `o-${id}` }) },
});
const orderCancelled = defineMessage("order-cancelled", {
  version: 1,
  schemas: { 1: bodyType<{ orderId: string; reason: string }>() },
});
const messageTypes = [orderPlaced, orderCancelled];
type Types = (typeof messageTypes)[number];

function typedClient({ transport }: Fixture, options: Partial<WaybillClientOptions<Types>> = {}) {
  return new WaybillClient(transport, { serializer: json(), messageTypes, ...options });
}

async function send({ transport }: Fixture, ...messages: Message[]): Promise<void> {
  const client = new WaybillClient(transport, { serializer: json() });
  await client.createSender("orders").sendMessages(messages);
}

function activeMessages({ broker }: Fixture): number {
  return (broker.getEntity("orders") as QueueDescription).activeMessageCount;
}

function v1(id: number): Message {
  return {
    messageId: `m${id}`,
    subject: "order-placed",
    body: { id },
    applicationProperties: { messageVersion: 1 },
  };
}

const cancelled: Message = { messageId: "c", ...orderCancelled.message({ orderId: "o-1", reason: "late" }) };

describe("a message of a newer version", () => {
  it("is abandoned after a delay, for an instance that has the version", async () => {
    await using fixture = await createFixture();
    const older = typedClient(fixture, { messageTypePolicies: { newer: "abandon" } });
    const errors: ProcessErrorArgs[] = [];
    older.createReceiver("orders").subscribe({
      processMessage: () => expect.unreachable(),
      processError: (args) => void errors.push(args),
    });
    await send(fixture, { ...v1(1), applicationProperties: { messageVersion: 3 } });
    await until(() => errors.length === 1);
    expect(errors[0]).toMatchObject({ disposition: "abandoned", error: { code: "unavailable" } });
    fixture.clock.advance(1_000);
    await until(() => errors.length === 2);
    expect(errors[1]?.rawMessage).toMatchObject({ deliveryCount: 1 });
  });
});

type Handlers = TypedMessageHandlers<(typeof messageTypes)[number]>;

describe("subscribe by message type", () => {
  it("gives each handler its type, in the current version, typed", async () => {
    await using fixture = await createFixture();
    const client = typedClient(fixture);
    const placed: OrderPlaced[] = [];
    const reasons: string[] = [];
    await using _ = client.subscribe("orders", {
      processMessage: {
        "order-placed": (message) => {
          expectTypeOf(message).toEqualTypeOf<ReceivedMessage<OrderPlaced>>();
          placed.push(message.body);
        },
        "order-cancelled": ({ body }) => void reasons.push(body.reason),
      },
      processError: () => {},
    });
    await send(fixture, v1(1), cancelled);
    await client.createSender("orders").sendMessages(orderPlaced.message({ orderId: "o-2" }));
    await until(() => placed.length + reasons.length === 3);
    expect(placed).toEqual([{ orderId: "o-1" }, { orderId: "o-2" }]);
    expect(reasons).toEqual(["late"]);
    await until(() => activeMessages(fixture) === 0);
  });

  it("receives from a subscription of a topic", async () => {
    await using fixture = await createFixture();
    const client = typedClient(fixture);
    const bodies: OrderPlaced[] = [];
    const processMessage = {
      "order-placed": ({ body }: ReceivedMessage<OrderPlaced>) => void bodies.push(body),
    };
    await using _ = client.subscribe("news", "all", { processMessage, processError: () => {} });
    await client.createSender("news").sendMessages(orderPlaced.message({ orderId: "o-2" }));
    await until(() => bodies.length === 1);
  });

  it.each<[string, Message]>([
    ["of a type without a handler", cancelled],
    ["without a type", { messageId: "u", body: { any: 1 } }],
  ])("dead-letters a message %s, with a record", async (_, message) => {
    await using fixture = await createFixture();
    const client = typedClient(fixture);
    const errors: ProcessErrorArgs[] = [];
    await using _subscription = client.subscribe("orders", {
      processMessage: { "order-placed": () => expect.unreachable() },
      processError: (args) => void errors.push(args),
    });
    await send(fixture, message);
    await until(() => errors.length === 1);
    const [dead] = await client.createReceiver("orders", { subQueueType: "deadLetter" }).peekMessages(1);
    expect(dead).toMatchObject({ messageId: message.messageId, deadLetterReason: "UnhandledMessageType" });
    expect(parseDeadLetterRecord(dead!)?.attempts).toMatchObject([
      { stage: "select", reason: "message-type-unhandled" },
    ]);
    expect(errors).toMatchObject([{ errorSource: "deserialize", disposition: "deadLettered" }]);
  });

  it("passes on a message without a handler as bytes if it cannot be dead-lettered", async () => {
    await using fixture = await createFixture();
    const client = typedClient(fixture);
    const errors: ProcessErrorArgs[] = [];
    await using _ = client.subscribe(
      "orders",
      {
        processMessage: { "order-placed": () => expect.unreachable() },
        processError: (args) => void errors.push(args),
      },
      { receiveMode: "receiveAndDelete" },
    );
    await send(fixture, cancelled);
    await until(() => errors.length === 1);
    expect(errors).toMatchObject([{ disposition: "handedOver", rawMessage: { messageId: "c" } }]);
  });

  it("gives messages without a handler to processUnhandled, if there is one", async () => {
    await using fixture = await createFixture();
    const client = typedClient(fixture);
    const unhandled: unknown[] = [];
    await using _ = client.subscribe("orders", {
      processMessage: { "order-placed": () => expect.unreachable() },
      processError: () => expect.unreachable(),
      processUnhandled: ({ body }) => void unhandled.push(body),
    });
    await send(fixture, cancelled, { body: [1] });
    await until(() => unhandled.length === 2);
    expect(unhandled).toEqual([{ orderId: "o-1", reason: "late" }, [1]]);
  });

  it("dead-letters messages of an undefined type or version", async () => {
    await using fixture = await createFixture();
    const client = typedClient(fixture);
    const errors: ProcessErrorArgs[] = [];
    await using _ = client.subscribe("orders", {
      processMessage: { "order-placed": () => expect.unreachable() },
      processError: (args) => void errors.push(args),
      processUnhandled: () => expect.unreachable(),
    });
    await send(
      fixture,
      { subject: "order-shipped", body: {} },
      { subject: "order-placed", body: {}, applicationProperties: { messageVersion: 3 } },
    );
    await until(() => errors.length === 2);
    const dead = await client.createReceiver("orders", { subQueueType: "deadLetter" }).peekMessages(2);
    expect(dead.map(({ deadLetterReason }) => deadLetterReason)).toEqual([
      "UnknownMessageType",
      "UnknownMessageVersion",
    ]);
  });

  it("closes its receivers when it is closed, and with the client", async () => {
    await using fixture = await createFixture();
    const client = typedClient(fixture);
    const subscribe = () =>
      client.subscribe("orders", { processMessage: { "order-placed": () => {} }, processError: () => {} });
    await subscribe().close();
    subscribe();
    await client.close();
    expect(subscribe).toThrow("[closed] The client is closed.");
  });

  it("closes them when its signal aborts, and when its options are refused", async () => {
    await using fixture = await createFixture();
    let open = 0;
    const { createReceiver } = fixture.transport;
    fixture.transport.createReceiver = (...args) => {
      const receiver = createReceiver.apply(fixture.transport, args);
      const close = receiver.close.bind(receiver);
      open++;
      receiver.close = async () => {
        open--;
        await close();
      };
      return receiver;
    };
    const client = typedClient(fixture);
    const handlers = { processMessage: { "order-placed": () => {} }, processError: () => {} };
    expect(() => client.subscribe("orders", handlers, { maxConcurrentCalls: 0 })).toThrow(TypeError);
    await quiet();
    expect(open).toBe(0);
    const ending = new AbortController();
    client.subscribe("orders", handlers, { abortSignal: ending.signal });
    expect(open).toBe(1);
    ending.abort();
    await quiet();
    expect(open).toBe(0);
  });

  it("takes one handler for all messages as well, like a receiver", async () => {
    await using fixture = await createFixture();
    const seen: unknown[] = [];
    await send(fixture, v1(7), cancelled);
    await using _ = typedClient(fixture).subscribe<object>("orders", {
      processMessage: (message) => {
        expectTypeOf(message).toEqualTypeOf<ReceivedMessage<object>>();
        seen.push(message.body);
      },
      processError: ({ error }) => void seen.push(error),
    });
    await until(() => seen.length === 2);
    expect(seen).toEqual([{ orderId: "o-7" }, { orderId: "o-1", reason: "late" }]);
  });

  it("uses the message types of a given pipeline", async () => {
    await using fixture = await createFixture();
    const { createPipeline } = await import("@waybill/core");
    const client = new WaybillClient(fixture.transport, {
      pipeline: createPipeline({ serializer: json(), messageTypes }),
    });
    const processMessage = { "order-cancelled": () => {} };
    await client.subscribe("orders", { processMessage, processError: () => {} }).close();
  });

  it.each<[string, object, string]>([
    [
      "a type that the client does not know",
      { "order-shipped": () => {} },
      'There is a handler of "order-shipped", which is none of the client\'s message types (order-placed, order-cancelled).',
    ],
    [
      "something other than a function",
      { "order-placed": "x" },
      'The handler of "order-placed" must be a function.',
    ],
    ["nothing", {}, "subscribe needs a handler of at least one message type."],
  ])("refuses handlers of %s", async (_, processMessage, text) => {
    await using fixture = await createFixture();
    expect(() =>
      typedClient(fixture).subscribe("orders", { processMessage, processError: () => {} }),
    ).toThrow(new TypeError(text));
  });

  it.each<[string, object, string]>([
    [
      "without processMessage",
      { processError: () => {} },
      "subscribe needs two functions, processMessage and processError.",
    ],
    [
      "without processError",
      { processMessage: { "order-placed": () => {} } },
      "subscribe needs processError, a function, beside the handlers by message type.",
    ],
  ])("refuses handlers %s", async (_, handlers, text) => {
    await using fixture = await createFixture();
    expect(() => typedClient(fixture).subscribe("orders", handlers as never)).toThrow(new TypeError(text));
  });

  it("is like any other client if message types are not used", async () => {
    await using fixture = await createFixture();
    const client: WaybillClient = typedClient(fixture);
    expect(client.isClosed).toBe(false);
  });

  it("does not compile with a handler of another type or another body", async () => {
    await using fixture = await createFixture();
    const client = typedClient(fixture);
    const processError = () => {};
    // @ts-expect-error There is no such message type.
    const shipped = { processMessage: { "order-shipped": () => {} }, processError } satisfies Handlers;
    expect(() => client.subscribe("orders", shipped as never)).toThrow(TypeError);
    const placed = {
      // @ts-expect-error Orders that are placed have no reason.
      processMessage: { "order-placed": ({ body }) => void body.reason },
      processError,
    } satisfies Handlers;
    client.subscribe("orders", placed as never);
    const handlers = { processMessage: { "order-placed": () => {} }, processError };
    // @ts-expect-error A client without message types has no handlers by type.
    expect(() => fixture.client.subscribe("orders", handlers)).toThrow(TypeError);
  });
});

describe("subscribe to sessions by message type", () => {
  it("reads the session's state, which has no handler of its own", async () => {
    await using fixture = await createFixture();
    await fixture.broker.createQueue("carts", { requiresSession: true });
    const client = typedClient(fixture);
    const states: unknown[] = [];
    await using _ = client.subscribeSessions("carts", {
      processMessage: {
        "order-placed": async ({ body }, { session }) => {
          await session.setSessionState({ last: body.orderId });
          states.push(await session.getSessionState());
        },
      },
      processError: ({ error }) => void states.push(error),
    });
    const message = orderPlaced.message({ orderId: "o-1" }, { sessionId: "ada" });
    await client.createSender("carts").sendMessages(message);
    await until(() => states.length === 1);
    expect(states).toEqual([{ last: "o-1" }]);
  });

  it("gives each handler its type and its session, and dead-letters messages without a handler", async () => {
    await using fixture = await createFixture();
    await fixture.broker.createQueue("carts", { requiresSession: true });
    const client = typedClient(fixture);
    const seen: string[] = [];
    const errors: ProcessErrorArgs[] = [];
    await using _ = client.subscribeSessions("carts", {
      processMessage: {
        "order-placed": (message, { session }) => {
          expectTypeOf(message).toEqualTypeOf<ReceivedMessage<OrderPlaced>>();
          seen.push(`${session.sessionId}: ${message.body.orderId}`);
        },
      },
      processError: (args) => void errors.push(args),
      sessionInitializing: (session) => void seen.push(`${session.sessionId} begins`),
    });
    const sender = client.createSender("carts");
    await sender.sendMessages([
      { ...orderPlaced.message({ orderId: "o-1" }), sessionId: "ada" },
      { ...cancelled, sessionId: "ada" },
    ]);
    await until(() => seen.length === 2 && errors.length === 1);
    expect(seen).toEqual(["ada begins", "ada: o-1"]);
    expect(errors).toMatchObject([
      { errorSource: "deserialize", disposition: "deadLettered", sessionId: "ada" },
    ]);
  });
});

describe("send", () => {
  it("refuses a message that breaks its schema before sending any message of the call", async () => {
    await using fixture = await createFixture();
    const strict = defineMessage("strict", {
      version: 1,
      schemas: {
        1: (value: unknown) => {
          if ((value as { ok?: boolean }).ok !== true) throw new Error();
        },
      },
    });
    const client = new WaybillClient(fixture.transport, { serializer: json(), messageTypes: [strict] });
    const sending = client.createSender("orders").sendMessages([
      { subject: "strict", body: { ok: true } },
      { subject: "strict", body: {} },
    ]);
    await expect(sending).rejects.toThrow(
      '[serialization-failed] entity "orders": Message 2 of 2 cannot be sent, so nothing was.',
    );
    expect(await client.createReceiver("orders").peekMessages(1)).toEqual([]);
  });
});
