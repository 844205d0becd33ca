import { createHmac } from "node:crypto";
import { ServiceBusClient } from "@azure/service-bus";
import {
  type BrokerReceivedMessage,
  createBroker,
  createManualClock,
  type QueueOptions,
} from "@waybill/broker";
import { describe, expect, it } from "vitest";
import { type AccessRight, serve } from "../../index.js";

const root = { name: "RootManageSharedAccessKey", key: "the-root-secret", rights: ["Manage"] } as const;
const keys = [
  root,
  { name: "sender", key: "the-senders-secret", rights: ["Send"] as AccessRight[], entity: "orders" },
];

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** The header `BrokerProperties`. */
  readonly properties: Record<string, unknown>;
}

/** A broker with a queue `orders`, and its HTTP runtime API. */
async function openFixture(queue: QueueOptions = {}) {
  const clock = createManualClock(new Date());
  const broker = createBroker({ clock });
  await broker.createQueue("orders", queue);
  await broker.createTopic("events");
  await broker.createSubscription("events", "audit");
  const server = await serve(broker, { port: 0, keys });
  const origin = `http://127.0.0.1:${server.port}`;
  const call = async (
    method: string,
    address: string,
    init: RequestInit & { key?: (typeof keys)[number] } = {},
  ): Promise<Answer> => {
    const url = address.startsWith("http") ? address : `${origin}${address}`;
    const authorization = tokenFor(url, init.key ?? root, clock.now());
    const response = await fetch(url, {
      ...init,
      method,
      headers: { authorization, ...(init.headers as Record<string, string>) },
    });
    const properties = JSON.parse(response.headers.get("brokerproperties") ?? "{}") as Record<
      string,
      unknown
    >;
    return { status: response.status, headers: response.headers, body: await response.text(), properties };
  };
  return {
    broker,
    clock,
    origin,
    call,
    connect: () => new ServiceBusClient(server.connectionString),
    async [Symbol.asyncDispose]() {
      await server.close();
      await broker.close();
    },
  };
}

function tokenFor(
  url: string,
  { name, key }: { readonly name: string; readonly key: string },
  nowMs: number,
): string {
  const resource = encodeURIComponent(url.toLowerCase());
  const expiry = Math.floor(nowMs / 1000) + 600;
  const signature = createHmac("sha256", key).update(`${resource}\n${expiry}`).digest("base64");
  return `SharedAccessSignature sr=${resource}&sig=${encodeURIComponent(signature)}&se=${expiry}&skn=${name}`;
}

describe("sending over HTTP", () => {
  it("sends a message that is a normal message over AMQP", async () => {
    await using fixture = await openFixture();
    const sent = await fixture.call("POST", "/orders/messages?timeout=60&api-version=2013-08", {
      body: '{"id":1}',
      headers: {
        "content-type": "application/json",
        BrokerProperties: JSON.stringify({
          Label: "M1",
          MessageId: "m-1",
          CorrelationId: "c-1",
          TimeToLive: 10,
          To: "t",
          ReplyTo: "r",
          ReplyToSessionId: "rs",
          PartitionKey: "p",
          State: "Active",
          Unknown: [1],
        }),
        Priority: "High",
        Customer: '"12345,ABC"',
        Count: "5",
        Ratio: "0.25",
        Flag: "true",
        At: "Sun, 06 Nov 1994 08:49:37 GMT",
      },
    });
    expect(sent).toMatchObject({ status: 201, body: "" });
    const client = fixture.connect();
    const [message] = await client.createReceiver("orders").receiveMessages(1);
    expect(message).toMatchObject({
      body: { id: 1 },
      contentType: "application/json",
      subject: "M1",
      messageId: "m-1",
      correlationId: "c-1",
      timeToLive: 10_000,
      to: "t",
      replyTo: "r",
      replyToSessionId: "rs",
      partitionKey: "p",
      applicationProperties: {
        Priority: "High",
        Customer: "12345,ABC",
        Count: 5,
        Ratio: 0.25,
        Flag: true,
        At: new Date(Date.UTC(1994, 10, 6, 8, 49, 37)).getTime(),
      },
    });
    await client.close();
  });

  it("sends a batch, all or nothing", async () => {
    await using fixture = await openFixture();
    const batch = (messages: unknown) =>
      fixture.call("POST", "/orders/messages", {
        body: typeof messages === "string" ? messages : JSON.stringify(messages),
        headers: { "content-type": "application/vnd.microsoft.servicebus.json" },
      });
    const messages = [
      { Body: "first", BrokerProperties: { Label: "M1", TimeToLiveTimeSpan: "1.00:00:00.5" } },
      {
        Body: "second",
        BrokerProperties: { Label: "M2" },
        UserProperties: { Priority: "Low", Count: 2, None: null },
      },
    ];
    expect((await batch(messages)).status).toBe(201);
    const received = await fixture.broker.receiver("orders").receive(2);
    expect(received.map(({ subject, timeToLiveMs }) => [subject, timeToLiveMs])).toEqual([
      ["M1", 86_400_500],
      ["M2", Number.POSITIVE_INFINITY],
    ]);
    expect(received[1]?.applicationProperties).toEqual({ Priority: "Low", Count: 2, None: null });
    expect(received[0]?.body).toMatchObject({
      section: "data",
      bytes: Uint8Array.from(Buffer.from("first")),
    });
    for (const bad of ["not json", "{}", [], [1], [{ Body: 1 }], [{ Body: "x" }, { BrokerProperties: 5 }]]) {
      expect((await batch(bad)).status).toBe(400);
    }
    expect(fixture.broker.getEntity("orders").totalMessageCount).toBe(2);
  });

  it("schedules messages, and sends to the subscriptions of topics", async () => {
    await using fixture = await openFixture();
    const due = new Date(Math.ceil(fixture.clock.now() / 1000) * 1000 + 60_000);
    const BrokerProperties = JSON.stringify({ ScheduledEnqueueTimeUtc: due.toUTCString() });
    expect(
      (await fixture.call("POST", "/events/messages", { body: "x", headers: { BrokerProperties } })).status,
    ).toBe(201);
    const empty = await fixture.call("DELETE", "/events/subscriptions/audit/messages/head?timeout=0");
    expect(empty.status).toBe(204);
    fixture.clock.advance(62_000);
    const came = await fixture.call("DELETE", "/events/Subscriptions/audit/messages/head");
    expect(came).toMatchObject({
      status: 200,
      body: "x",
      properties: { ScheduledEnqueueTimeUtc: due.toUTCString() },
    });
  });

  it.each([
    ["BrokerProperties that are not JSON", "{", 400],
    ["BrokerProperties that are a list", "[]", 400],
    ["an invalid time to live", '{"TimeToLive":"soon"}', 400],
    ["a time to live below zero", '{"TimeToLive":-1}', 400],
    ["an invalid scheduled time", '{"ScheduledEnqueueTimeUtc":"tomorrow"}', 400],
    ["a session that differs from the partition key", '{"SessionId":"a","PartitionKey":"b"}', 400],
    ["an id that is too long", JSON.stringify({ MessageId: "x".repeat(129) }), 400],
    ["a label that is a number", '{"Label":7}', 400],
  ])("refuses %s", async (_title, BrokerProperties, status) => {
    await using fixture = await openFixture();
    expect(
      (await fixture.call("POST", "/orders/messages", { body: "x", headers: { BrokerProperties } })).status,
    ).toBe(status);
    expect(fixture.broker.getEntity("orders").totalMessageCount).toBe(0);
  });

  it("refuses messages that are too large, and entities that do not exist", async () => {
    await using fixture = await openFixture({ maxMessageSizeInKilobytes: 1 });
    const status = async (path: string, bytes: number) =>
      (await fixture.call("POST", path, { body: "x".repeat(bytes) })).status;
    expect(await status("/orders/messages", 500)).toBe(201);
    expect(await status("/orders/messages", 2_000)).toBe(403);
    expect(await status("/orders/messages", 200_000)).toBe(403);
    expect(await status("/missing/messages", 1)).toBe(410);
    expect(await status("/events/subscriptions/audit/messages", 1)).toBe(400);
  });
});

describe("receiving over HTTP", () => {
  it("locks a message, renews, unlocks and completes it by its location", async () => {
    await using fixture = await openFixture({ lockDurationMs: 30_000 });
    const client = fixture.connect();
    await client.createSender("orders").sendMessages({
      body: Buffer.from("hello"),
      contentType: "text/plain",
      messageId: "m-1",
      subject: "greeting",
      applicationProperties: { Text: 'ä "quoted"', Count: 5, Flag: false, "not a header": 1, Date: "mine" },
    });
    await client.close();
    const locked = await fixture.call("POST", "/orders/messages/head?timeout=5");
    expect(locked).toMatchObject({ status: 201, body: "hello" });
    expect(locked.headers.get("content-type")).toBe("text/plain");
    expect(locked.properties).toMatchObject({
      MessageId: "m-1",
      Label: "greeting",
      DeliveryCount: 1,
      State: "Active",
      SequenceNumber: 1,
      EnqueuedSequenceNumber: 1,
      TimeToLive: 922337203685.4775,
      LockToken: expect.stringMatching(/^[0-9a-f-]{36}$/),
      LockedUntilUtc: expect.stringMatching(/ GMT$/),
      EnqueuedTimeUtc: expect.stringMatching(/ GMT$/),
    });
    expect(locked.headers.get("text")).toBe('"\\u00e4 \\"quoted\\""');
    expect(locked.headers.get("count")).toBe("5");
    expect(locked.headers.get("flag")).toBe("false");
    expect(JSON.parse(locked.headers.get("userproperties") ?? "")).toEqual({
      "not a header": 1,
      Date: "mine",
    });
    const location = locked.headers.get("location") ?? "";
    expect(location).toBe(`${fixture.origin}/orders/messages/1/${locked.properties.LockToken}`);

    fixture.clock.advance(20_000);
    expect((await fixture.call("POST", location)).status).toBe(200);
    fixture.clock.advance(20_000);
    expect((await fixture.call("PUT", location)).status).toBe(200);
    expect((await fixture.call("DELETE", location)).status).toBe(404);
    const again = await fixture.call("POST", "/orders/messages/head");
    expect(again.properties).toMatchObject({ DeliveryCount: 2 });
    expect((await fixture.call("DELETE", again.headers.get("location") ?? "")).status).toBe(200);
    expect((await fixture.call("DELETE", again.headers.get("location") ?? "")).status).toBe(404);
    expect(fixture.broker.getEntity("orders").totalMessageCount).toBe(0);
  });

  it("receives and deletes, also from dead-letter queues", async () => {
    await using fixture = await openFixture();
    const sender = fixture.broker.sender("orders");
    await sender.send({ body: { section: "data", bytes: Buffer.from("dead") } });
    const receiver = fixture.broker.receiver("orders");
    const [message] = await receiver.receive();
    if (message !== undefined)
      await receiver.deadLetter(message, { reason: "Broken", description: "it was" });
    const dead = await fixture.call("DELETE", "/orders/$deadletterqueue/messages/head");
    expect(dead).toMatchObject({ status: 200, body: "dead", properties: { DeliveryCount: 1 } });
    expect(dead.headers.get("deadletterreason")).toBe('"Broken"');
    expect(dead.headers.get("location")).toBeNull();
    expect((await fixture.call("DELETE", "/orders/$DeadLetterQueue/messages/head?timeout=0")).status).toBe(
      204,
    );
  });

  it("waits by the broker's clock, or until the next message", async () => {
    await using fixture = await openFixture();
    let status: number | undefined;
    fixture.call("POST", "/orders/messages/head?timeout=30").then((answer) => {
      status = answer.status;
    });
    while (status === undefined) {
      fixture.clock.advance(31_000);
      await new Promise(setImmediate);
    }
    expect(status).toBe(204);
    const something = fixture.call("DELETE", "/orders/messages/head");
    await fixture.broker.sender("orders").send({ body: { section: "data", bytes: Buffer.from("now") } });
    expect(await something).toMatchObject({ status: 200, body: "now" });
  });

  it("locks no more messages for a client that has disconnected", async () => {
    await using fixture = await openFixture();
    const gone = new AbortController();
    const waiting = fixture.call("POST", "/orders/messages/head", { signal: gone.signal });
    await fixture.call("GET", "/orders");
    gone.abort();
    await expect(waiting).rejects.toThrow();
    // Until the server detects the disconnect, a message may still be locked for the client.
    let message: BrokerReceivedMessage | undefined;
    while (message === undefined) {
      await fixture.broker.sender("orders").send({ body: { section: "data", bytes: Buffer.from("kept") } });
      [message] = await fixture.broker.receiver("orders").receive(1, { maxWaitMs: 0 });
      await new Promise(setImmediate);
    }
    expect(message?.deliveryCount).toBe(0);
  });

  it("refuses unsupported requests", async () => {
    await using fixture = await openFixture({ requiresSession: true });
    const status = async (method: string, path: string) => (await fixture.call(method, path)).status;
    expect(await status("POST", "/orders/messages/head?timeout=0")).toBe(400);
    expect(await status("POST", "/missing/messages/head?timeout=0")).toBe(410);
    expect(await status("POST", "/events/subscriptions/audit/messages/head?timeout=soon")).toBe(400);
    expect(
      await status("DELETE", "/events/subscriptions/audit/messages/1/00000000-0000-4000-8000-000000000000"),
    ).toBe(404);
  });
});

describe("rights over HTTP", () => {
  it("are those of the token, as over AMQP", async () => {
    await using fixture = await openFixture();
    const [, sender] = keys;
    const status = async (method: string, path: string, key?: (typeof keys)[number]) =>
      (
        await fixture.call(method, path, {
          ...(key && { key }),
          ...(path.endsWith("messages") && { body: "x" }),
        })
      ).status;
    expect(await status("POST", "/orders/messages", sender)).toBe(201);
    expect(await status("POST", "/events/messages", sender)).toBe(401);
    expect(await status("POST", "/missing/messages", sender)).toBe(401);
    expect(await status("DELETE", "/orders/messages/head?timeout=0", sender)).toBe(401);
    expect(
      await status("DELETE", "/orders/messages/head?timeout=0", {
        ...root,
        key: "guessed",
        rights: ["Manage"],
      } as never),
    ).toBe(401);
    expect((await fetch(`${fixture.origin}/orders/messages`, { method: "POST", body: "x" })).status).toBe(
      401,
    );
  });
});
