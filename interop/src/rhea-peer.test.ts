import { createRequire } from "node:module";
import { rejected } from "@waybill/amqp";
import type { Connection, Container, EventContext, Receiver, Sender } from "rhea";
import { describe, expect, it } from "vitest";
import { QueueNode, type QueueNodeOptions } from "./queue-node.js";

const rhea = createRequire(import.meta.url)("rhea") as Container;

/** A rhea client on its own connection. Closes with the test. */
function connect(node: QueueNode, options: object = {}): Connection & AsyncDisposable {
  const connection = rhea.create_container().connect({
    host: "127.0.0.1",
    port: node.port,
    reconnect: false,
    username: "anonymous",
    ...options,
  });
  return Object.assign(connection, {
    [Symbol.asyncDispose]: async () => {
      if (!connection.is_open()) return;
      const closed = once(connection, "connection_close");
      connection.close();
      await closed;
    },
  });
}

type Emitter = Pick<Connection, "once"> | Pick<Sender, "once"> | Pick<Receiver, "once">;

function once(emitter: Emitter, event: string): Promise<EventContext> {
  return new Promise((resolve) => (emitter as Connection).once(event as "message", resolve));
}

/** Resolves when `count` events have happened. */
function times(emitter: Emitter, event: string, count: number): Promise<EventContext[]> {
  const seen: EventContext[] = [];
  return new Promise((resolve) => {
    (emitter as Connection).on(event as "message", (context: EventContext) => {
      if (seen.push(context) === count) resolve(seen);
    });
  });
}

const listen = (options?: QueueNodeOptions) => new QueueNode(options).listen();

describe("a rhea client", () => {
  it("receives the messages that it sent", async () => {
    await using node = await listen();
    await using client = connect(node);
    const sender = client.open_sender("q");
    await once(sender, "sendable");
    const accepted = once(sender, "accepted");
    sender.send({ message_id: "1", body: { text: "hello" }, application_properties: { n: 5 } });
    await accepted;
    const receiver = client.open_receiver("q");
    const { message } = await once(receiver, "message");
    expect(message).toMatchObject({
      message_id: "1",
      body: { text: "hello" },
      application_properties: { n: 5 },
    });
  });

  it("also works without SASL", async () => {
    await using node = await listen();
    await using client = connect(node, { username: undefined });
    await once(client, "connection_open");
    expect(client.is_open()).toBe(true);
  });

  it("exchanges messages of a megabyte in frames of any size, in both directions", async () => {
    const body = Buffer.alloc(1_000_000, "0123456789abcdef");
    for (const [ours, theirs] of [
      // 1,024: a rhea receiver does not open its window of 2,048 frames again within one message.
      [512, 1_024],
      [65_536, 4_096],
      [65_536, 2_000_000],
    ]) {
      await using node = await listen({ maxFrameSize: ours as number });
      await using client = connect(node, { max_frame_size: theirs });
      const sender = client.open_sender("q");
      await once(sender, "sendable");
      const accepted = once(sender, "accepted");
      sender.send({ body });
      await accepted;
      const { message } = await once(client.open_receiver("q"), "message");
      expect(Buffer.compare(message?.body, body)).toBe(0);
    }
  });

  it("keeps a delivery unsettled while ten thousand others are settled on the same link", async () => {
    const count = 10_000;
    await using node = await listen();
    await using client = connect(node, { session_buffer_size: 16_384 });
    await fill(client, "q", count + 1);
    const receiver = client.open_receiver({
      source: "q",
      credit_window: 0,
      autoaccept: false,
      autosettle: false,
    });
    const all = times(receiver, "message", count + 1);
    receiver.add_credit(count + 1);
    const [first, ...others] = await all;
    for (const { delivery } of others) delivery?.accept();
    await until(() => node.settlements.length === count);
    expect(node.settlements.every(({ state }) => state?.kind === "accepted")).toBe(true);
    first?.delivery?.release({ delivery_failed: true });
    await until(() => node.settlements.length === count + 1);
    expect(node.settlements.at(-1)?.state).toMatchObject({ kind: "modified", deliveryFailed: true });
  });

  it("gets the different outcomes of messages that it sent at the same time", async () => {
    const isOdd = (text: Uint8Array) => Number(Buffer.from(text.subarray(-4)).toString()) % 2 === 1;
    const error = { condition: "x:odd", description: "odd" };
    await using node = await listen({
      policy: ({ message }) => (isOdd(message) ? rejected(error) : { kind: "accepted" }),
    });
    await using client = connect(node);
    const sender = client.open_sender("q");
    await once(sender, "sendable");
    const outcomes: string[] = [];
    for (const event of ["accepted", "rejected"] as const) {
      sender.on(event, ({ delivery }: EventContext) => outcomes.push(`${delivery?.id}:${event}`));
    }
    for (let i = 0; i < 500; i++) sender.send({ body: rhea.message.data_section(text(i)) });
    await until(() => outcomes.length === 500);
    expect(outcomes.sort(byNumber)).toEqual(
      [...Array(500).keys()].map((i) => `${i}:${i % 2 ? "rejected" : "accepted"}`),
    );
  });

  it("settles consecutive messages with different outcomes, one in each turn", async () => {
    await using node = await listen();
    await using client = connect(node);
    await fill(client, "q", 60);
    const receiver = client.open_receiver({ source: "q", credit_window: 0, autoaccept: false });
    const all = times(receiver, "message", 60);
    receiver.add_credit(60);
    for (const [i, { delivery }] of (await all).entries()) {
      if (i % 3 === 0) delivery?.accept();
      else if (i % 3 === 1) delivery?.reject({ condition: "x:no", description: String(i) });
      else delivery?.release();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => node.settlements.length === 60);
    expect(node.settlements).toEqual(
      [...Array(60).keys()].map((i) => ({
        message: expect.stringMatching(new RegExp(`${text(i)}$`)),
        state: [
          { kind: "accepted" },
          { kind: "rejected", error: { condition: "x:no", description: String(i) } },
          { kind: "released" },
        ][i % 3],
      })),
    );
  });

  it("gets a response to drain, without messages and after a last message", async () => {
    await using node = await listen();
    await using client = connect(node);
    const receiver = client.open_receiver({ source: "q", credit_window: 0 });
    await once(receiver, "receiver_open");
    for (const waiting of [0, 3]) {
      await fill(client, "q", waiting);
      const messages = times(receiver, "message", waiting);
      const drained = once(receiver, "receiver_drained");
      receiver.drain = true;
      receiver.add_credit(10);
      await drained;
      if (waiting > 0) await messages;
      expect(Reflect.get(receiver, "credit")).toBe(0);
      receiver.drain = false;
    }
  });

  it("gets the reason if a link is refused", async () => {
    await using node = await listen();
    await using client = connect(node);
    const sender = client.open_sender({ target: {} });
    await once(sender, "sender_error");
    expect(sender.error).toMatchObject({
      condition: "amqp:not-found",
      description: "a link needs an address",
    });
    await once(client.open_sender("q"), "sendable");
  });

  it("may attach a sender and a receiver with the same name", async () => {
    await using node = await listen();
    await using client = connect(node);
    const sender = client.create_session();
    sender.open();
    const other = client.create_session();
    other.open();
    await once(sender.open_sender({ name: "n", target: "q" }), "sendable");
    await once(other.open_receiver({ name: "n", source: "q" }), "receiver_open");
    expect(node.errors).toEqual([]);
  });
});

describe("six rhea clients", () => {
  it("open four senders and four receivers each, concurrently and without a stall", async () => {
    await using node = await listen();
    const clients = Array.from({ length: 6 }, () => connect(node));
    const opened = clients.flatMap((client, c) =>
      [0, 1, 2, 3].flatMap((i) => [
        once(client.open_sender(`q${c}-${i}`), "sendable"),
        once(client.open_receiver(`q${c}-${i}`), "receiver_open"),
      ]),
    );
    await Promise.all(opened);
    for (const client of clients) await client[Symbol.asyncDispose]();
    expect(node.errors).toEqual([]);
  });
});

function text(i: number): string {
  return String(i).padStart(4, "0");
}

async function fill(client: Connection, address: string, count: number): Promise<void> {
  if (count === 0) return;
  const sender = client.open_sender(address);
  let sent = 0;
  const settled = times(sender, "accepted", count);
  const pump = () => {
    while (sender.sendable() && sent < count) sender.send({ body: rhea.message.data_section(text(sent++)) });
  };
  sender.on("sendable", pump);
  await settled;
  sender.close();
}

/** Runs the event loop until a condition of the peers is true. */
async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await new Promise((resolve) => setImmediate(resolve));
}

function byNumber(a: string, b: string): number {
  return Number.parseInt(a, 10) - Number.parseInt(b, 10);
}
