import { once } from "node:events";
import { connect as connectSocket, type Socket } from "node:net";
import {
  array,
  encodeMessage,
  type ReceiverLink,
  type Session,
  stringMap,
  symbolMap,
  uuid,
} from "@waybill/amqp";
import { batchMessageFormat, joinBatch } from "@waybill/amqp/batches";
import { createBroker } from "@waybill/broker";
import { describe, expect, it } from "vitest";
import { serve } from "./index.js";
import { connectRaw, lockTokenOf, numberIn, sendOn, unfinishedTransfer } from "./raw-client.test-support.js";
import { fill, openRaw } from "./raw-fixture.test-support.js";

const limit = "amqp:resource-limit-exceeded";
const root = { name: "root", key: "secret", rights: ["Manage"] } as const;
const plain = { mechanism: "PLAIN", initialResponse: Buffer.from("\0root\0secret") };

const openKeyed = (limits = {}) => openRaw({}, { keys: [root], limits });

/** The condition with which a session ended. */
function endOf(session: Session): Promise<string | undefined> {
  return new Promise((resolve) => {
    session.onEnd = (error) => resolve(error?.condition);
  });
}

/** Attaches a link to `$cbs`. */
const attachCbs = (session: Session, name: string) =>
  session.openSender({ name, target: { kind: "target", address: "$cbs" } });

describe("a client without a token", () => {
  it("has a few links and a few sessions", async () => {
    await using fixture = await openKeyed();
    await using client = await fixture.connect();
    const ended = endOf(client.session);
    for (let i = 0; i < 11; i++) attachCbs(client.session, `l${i}`);
    expect(await ended).toBe(limit);
    await using other = await fixture.connect();
    for (let i = 0; i < 32; i++) other.connection.openSession();
    expect(await other.closed).toBe(limit);
  });

  it("has links with short names", async () => {
    await using fixture = await openKeyed();
    await using client = await fixture.connect();
    const ended = endOf(client.session);
    attachCbs(client.session, "n".repeat(257));
    expect(await ended).toBe(limit);
  });

  it("sends small frames and small messages", async () => {
    await using fixture = await openKeyed();
    await using client = await fixture.connect();
    attachCbs(client.session, "n".repeat(40_000));
    expect(await client.closed).toBe(limit);
    await using other = await fixture.connect();
    const link = await other.sender("$cbs");
    const detached = new Promise((resolve) => {
      link.handler.onDetach = (error) => resolve(error?.condition);
    });
    for (let i = 0; i < 10; i++) other.socket.write(unfinishedTransfer(0, Buffer.alloc(10_000)));
    expect(await detached).toBe("amqp:link:message-size-exceeded");
  });

  it("has the full limits after it has sent one", async () => {
    await using fixture = await openKeyed();
    await using client = await fixture.connect(plain);
    const sender = await client.sender("orders");
    for (let i = 0; i < 20; i++) await client.sender("orders");
    const message = encodeMessage({ body: { kind: "data", sections: [Buffer.alloc(200_000)] } });
    expect(await sendOn(sender, message)).toMatchObject({ kind: "accepted" });
  });

  it("is disconnected to make room for others if there are too many", async () => {
    await using fixture = await openKeyed({ unauthenticated: { connections: 3 } });
    const sockets = Array.from({ length: 5 }, () => connectSocket(fixture.server.port, fixture.server.host));
    const ends = sockets.slice(0, 3).map((socket) => once(socket.resume(), "end"));
    await Promise.all(ends.slice(0, 2));
    await using client = await fixture.connect(plain);
    await client.send("orders", "a");
    for (const socket of sockets) socket.destroy();
  });
});

describe("a server", () => {
  it("accepts no more connections than its limit", async () => {
    await using fixture = await openKeyed({ connections: 2 });
    await using first = await fixture.connect(plain);
    await using second = await fixture.connect(plain);
    await using third = await fixture.connect(plain).catch(() => fixture.connect());
    const cbs = await third.management("$cbs");
    expect(numberIn(await cbs.call("put-token", "x", { name: "sb://h/orders" }), "status-code")).toBe(401);
    await first.send("orders", "a");
    await second.send("orders", "b");
  });

  it("refuses the client that uses the most memory at the limit, and closes its connection if others need room", async () => {
    await using fixture = await openKeyed({ totalBytes: 2_000_000 });
    await using greedy = await fixture.connect(plain);
    for (let i = 0; i < 100; i++) await sendIncompleteMessage(greedy, i);
    await greedy.synchronize();
    expect(greedy.connection.isOpen).toBe(true);
    for (let i = 0; i < 20; i++) {
      await using modest = await fixture.connect(plain);
      await modest.send("orders", "continues");
      if (i < 19) continue;
      await sendIncompleteMessage(modest, 0);
    }
    const crowd = await Promise.all(Array.from({ length: 20 }, () => fixture.connect(plain)));
    expect(await greedy.closed).toBe(limit);
    for (const client of crowd) {
      await client.send("orders", "continues");
      client.socket.destroy();
    }
  });

  it("closes the sockets of disconnected clients, even if they still send", async () => {
    await using fixture = await openRaw({}, { keys: [root], closeTimeoutMs: 300 });
    const talkative = await connectWithWrongHeader(fixture);
    const talk = setInterval(() => talkative.write("and another thing"), 1);
    await new Promise((resolve) => talkative.once("close", resolve));
    clearInterval(talk);
  });

  it("keeps room for others after any number of disconnects", async () => {
    const limits = { connections: 1, unauthenticated: { connections: 1 } };
    await using fixture = await openRaw({}, { keys: [root], limits, closeTimeoutMs: 10_000 });
    const sent = await Promise.all(Array.from({ length: 150 }, () => connectWithWrongHeader(fixture)));
    await using client = await fixture.connect(plain);
    await client.send("orders", "a");
    for (const socket of sent) socket.destroy();
  });

  it("releases the memory of closed connections", async () => {
    await using fixture = await openKeyed({ totalBytes: 2_000_000 });
    for (let i = 0; i < 50; i++) {
      await using client = await fixture.connect(plain);
      const receiver = await client.receiver("orders");
      await sendIncompleteMessage(client, 0);
      expect(receiver.link.isAttached).toBe(true);
    }
  });
});

/** Connects with an invalid protocol header; the socket stays half open after the server has ended it. */
async function connectWithWrongHeader({ server: { port, host } }: RawFixture): Promise<Socket> {
  const socket = connectSocket({ port, host, allowHalfOpen: true });
  socket.on("error", () => {});
  const over = new Promise((resolve) => socket.resume().once("end", resolve).once("close", resolve));
  socket.write("AMQP but not as we know it");
  await over;
  return socket;
}

type RawFixture = Awaited<ReturnType<typeof openKeyed>>;

/** Leaves a message of 50,000 bytes incomplete on a new link, as far as the server accepts it. */
async function sendIncompleteMessage({ session, socket }: RawClient, number: number): Promise<void> {
  const link = session.openSender({ name: `u${number}`, target: { kind: "target", address: "orders" } });
  await new Promise<void>((resolve) => {
    link.handler = { onCredit: () => resolve(), onDetach: () => resolve() };
  });
  const { handle } = link as unknown as { readonly handle: number };
  if (!session.isEnded) socket.write(unfinishedTransfer(handle, Buffer.alloc(50_000)));
}

type RawClient = Awaited<ReturnType<typeof connectRaw>>;

describe("a client with a token", () => {
  it("loses the link whose replies it does not settle", async () => {
    await using fixture = await openKeyed({ connectionBytes: 400_000 });
    await using client = await fixture.connect(plain);
    const name = "replies";
    const replies: ReceiverLink = client.session.openReceiver({
      name,
      source: { kind: "source", address: "orders/$management" },
      target: { kind: "target", address: name },
      sndSettleMode: 0,
    });
    replies.addCredit(100_000);
    let answers = 0;
    const detached = new Promise((resolve) => {
      replies.handler.onDetach = (error) => resolve(error?.condition);
    });
    const requests = await client.sender("orders/$management");
    const request = encodeMessage({
      properties: { messageId: "m", replyTo: name },
      body: { kind: "value", value: null },
    });
    const ask = () => requests.send(request, { deliveryTag: Buffer.from("t"), settled: true });
    replies.handler.onTransfer = () => {
      answers++;
      ask();
    };
    ask();
    expect(await detached).toBe(limit);
    expect(answers).toBeGreaterThan(100);
    expect(client.connection.isOpen).toBe(true);
  });

  it("loses the link on which it does not settle messages, but not their locks", async () => {
    await using fixture = await openKeyed({ connectionBytes: 400_000 });
    await fill(fixture, 2000);
    await using client = await fixture.connect(plain);
    const receiver = await client.receiver("orders", { credit: 2000 });
    expect(await receiver.detached).toBe(limit);
    await using other = await fixture.connect(plain);
    const rest = await other.receiver("orders", { credit: 10 });
    const [first] = await rest.take(1);
    expect(first?.isSettled).toBe(false);
  });

  it("cannot send a batch with more messages than the limit", async () => {
    await using fixture = await openKeyed();
    await using client = await fixture.connect(plain);
    const sender = await client.sender("orders");
    const empty = encodeMessage({ body: { kind: "value", value: null } });
    const batchOf = (count: number) => joinBatch(Array.from({ length: count }, () => empty));
    const send = (count: number) => sendOn(sender, batchOf(count), { format: batchMessageFormat });
    expect(await send(50_000)).toMatchObject({
      kind: "rejected",
      error: { condition: "amqp:link:message-size-exceeded" },
    });
    expect(await send(4500)).toMatchObject({ kind: "accepted" });
    expect(fixture.broker.getEntity("orders").activeMessageCount).toBe(4500);
  });

  it.each([
    [
      "com.microsoft:renew-lock",
      {
        "lock-tokens": array(
          "uuid",
          Array.from({ length: 20 }, () => uuid(zero)),
        ),
      },
    ],
    ["com.microsoft:cancel-scheduled-message", { "sequence-numbers": Array.from({ length: 20 }, () => 1) }],
    ["com.microsoft:schedule-message", { messages: Array.from({ length: 20 }, () => null) }],
  ])("cannot list more in one %s than the limit of a request", async (operation, body) => {
    await using fixture = await openKeyed({ batchMessages: 19 });
    await using client = await fixture.connect(plain);
    const management = await client.management("orders");
    const answer = await management.call(operation, stringMap(body as never));
    expect(answer.properties.get("errorCondition")).toMatchObject({ value: limit });
  });

  it("cannot send requests that decode to more than the limit", async () => {
    await using fixture = await openKeyed();
    await using client = await fixture.connect(plain);
    const management = await client.sender("orders/$management");
    const body = stringMap({ messages: Array.from({ length: 200_000 }, () => null) });
    const request = encodeMessage({
      properties: { messageId: "m" },
      applicationProperties: stringMap({ operation: "com.microsoft:schedule-message" }),
      body: { kind: "value", value: body },
    });
    expect(await sendOn(management, request)).toMatchObject({
      kind: "rejected",
      error: { condition: "amqp:decode-error" },
    });
  });
});

const zero = "00000000-0000-4000-8000-000000000000";

describe("a session", () => {
  it("is available only to the connection that has locked it: its state, its lock and its messages", async () => {
    await using broker = createBroker();
    await broker.createQueue("s", { requiresSession: true });
    await broker.sender("s").send({ sessionId: "a", body: { section: "data", bytes: new Uint8Array(1) } });
    await using server = await serve(broker, { port: 0, keys: [root] });
    await using holder = await connectRaw(server, plain);
    const filter = symbolMap({ "com.microsoft:session-filter": "a" });
    const [message] = await (await holder.receiver("s", { credit: 1, filter })).take(1);
    const own = await holder.management("s");
    await using other = await connectRaw(server, plain);
    const foreign = await other.management("s");
    const requests: [string, Record<string, never>][] = [
      ["get-session-state", {}],
      ["set-session-state", { "session-state": Buffer.from("x") as never }],
      ["renew-session-lock", {}],
      ["update-disposition", { "disposition-status": "completed" as never, "lock-tokens": [] as never }],
    ];
    for (const [operation, body] of requests) {
      const call = (from: typeof own) =>
        from.call(`com.microsoft:${operation}`, stringMap({ "session-id": "a", ...body }));
      expect((await call(foreign)).properties.get("errorCondition")).toMatchObject({
        value: "com.microsoft:session-lock-lost",
      });
      expect(numberIn(await call(own), "statusCode")).toBe(200);
    }
    // Not even with its token, and the error does not mention the session.
    const tokens = { "lock-tokens": array("uuid", [lockTokenOf(message?.tag ?? new Uint8Array(16))]) };
    for (const [operation, body] of [
      ["update-disposition", { ...tokens, "disposition-status": "completed" }],
      ["renew-lock", tokens],
    ] as const) {
      const answer = await foreign.call(`com.microsoft:${operation}`, stringMap(body));
      expect(answer.properties.get("errorCondition")).toMatchObject({
        value: "com.microsoft:session-lock-lost",
      });
    }
    expect(broker.getEntity("s").activeMessageCount).toBe(1);
  });
});

describe("serve", () => {
  it.each([
    [{ connections: 0 }, "limits.connections must be a positive integer; got 0"],
    [{ linkz: 1 }, 'serve: limits: there is no option "linkz"; did you mean "links"?'],
    [{ unauthenticated: { links: 0.5 } }, "limits.unauthenticated.links must be a positive integer"],
    [{ unauthenticated: { frameBytes: 100 } }, "frameBytes must be at least 512"],
  ])("refuses invalid limits: %j", async (limits, text) => {
    await using broker = createBroker();
    await expect(serve(broker, { port: 0, limits: limits as never })).rejects.toThrow(text);
  });
});
