import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ServiceBusClient } from "@azure/service-bus";
import type { Broker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { queueReadStore } from "@waybill/migration/census";
import { localTransport } from "@waybill/transport-local";
import { describe, expect, it } from "vitest";
import {
  encoded,
  environments,
  fill,
  fixture,
  garbage,
  openDataEnvironment,
  openServerEnvironment,
  waiting,
} from "./environments.test-support.js";

describe.each(environments)("against $name", ({ open }) => {
  it("sends a value in the main format, or unchanged bytes, now or scheduled", async () => {
    await using environment = await open();
    await environment.withBroker((broker) => broker.createQueue("orders"));

    const value = ["send", "orders", "--body", '{"id":1}', "--subject", "order-placed", "-p", "tenant=a"];
    const sent = await environment.run([
      ...value,
      "-p",
      "attempt:=2",
      "--message-id",
      "m-1",
      "--time-to-live",
      "1h",
    ]);
    expect(sent).toMatchObject({ exitCode: 0, stderr: "" });
    expect(sent.json()).toEqual({ messageId: "m-1", contentType: "application/json", bytes: 8 });
    const later = ["send", "orders", "--as", "msgpack", "--schedule", "1h"];
    expect((await environment.run(later, { input: '{"id":2}' })).json()).toMatchObject({
      contentType: "application/vnd.msgpack",
      sequenceNumber: expect.stringMatching(/^\d+$/),
    });
    const body = Uint8Array.of(1, 2, 3);
    const raw = [
      "send",
      "orders",
      await environment.write("body.bin", body),
      "--raw",
      "--content-type",
      "x/y",
    ];
    expect((await environment.run(raw)).exitCode).toBe(0);

    const messages = await environment.withBroker((broker) => waiting(broker, { queue: "orders" }));
    expect(messages).toMatchObject([
      {
        messageId: "m-1",
        subject: "order-placed",
        timeToLive: 3_600_000,
        applicationProperties: { tenant: "a", attempt: 2 },
        body: Uint8Array.from(Buffer.from('{"id":1}')),
      },
      { state: "scheduled", contentType: "application/vnd.msgpack" },
      { body, contentType: "x/y" },
    ]);
  });

  it("peeks without changing anything, and shows bodies only on request", async () => {
    await using environment = await open();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await fill(broker, "orders", [encoded({ name: "Ada" }), encoded({ name: "Bob" }, "msgpack")]);
    });

    const peeked = await environment.run(["peek", "orders"]);
    expect(peeked).toMatchObject({ exitCode: 0, stderr: "" });
    expect(peeked.lines()).toMatchObject([
      {
        sequenceNumber: "1",
        state: "active",
        subject: "order-placed",
        deserialization: { serializer: "json" },
      },
      { sequenceNumber: "2", deserialization: { serializer: "msgpack", position: 1 } },
    ]);
    expect(peeked.stdout).not.toMatch(/Ada|Bob/);
    const withBody = await environment.run(["peek", "orders", "--body", "--from", "2"]);
    expect(withBody.lines().map(({ body }) => body)).toEqual([{ name: "Bob" }]);
    const table = await environment.run(["peek", "orders", "--no-json", "--max", "1"]);
    expect(table.stdout).toMatch(/^NUMBER {2}STATE .*\n {5}1 {2}active .*json +\d+\n/);
    expect(await environment.withBroker((broker) => waiting(broker, { queue: "orders" }))).toHaveLength(2);
  });

  it("receives and settles according to --settle, and leaves undeserializable messages", async () => {
    await using environment = await open();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await fill(broker, "orders", [encoded({ id: 1 }), garbage, encoded({ id: 2 }), encoded({ id: 3 })]);
    });

    const receive = ["receive", "orders", "--settle", "complete", "--max", "3", "--body"];
    const left = () =>
      environment.withBroker(async (broker) => ({
        ready: (await waiting(broker, { queue: "orders" })).map(
          ({ sequenceNumber, deliveryCount }) => `${sequenceNumber}, delivered ${deliveryCount}`,
        ),
        dead: await waiting(broker, { queue: "orders", subQueue: "deadLetter" }),
      }));
    for (const bodies of [[{ body: { id: 1 } }], []]) {
      const taken = await environment.run(receive);
      expect(taken.exitCode).toBe(1);
      expect(taken.lines()).toMatchObject(bodies);
      expect(taken.stderr).toBe(
        "Message 2 cannot be deserialized and stays. It was not received, which would use one more delivery; it has had 0.\n" +
          "What is behind it was not received either: --use-deliveries goes on, --include-undeserializable also settles what cannot be deserialized.\n",
      );
      expect(await left()).toEqual({
        ready: ["2, delivered 0", "3, delivered 0", "4, delivered 0"],
        dead: [],
      });
    }
    const past = await environment.run([...receive.slice(0, -1), "--use-deliveries", "--max", "1"]);
    expect(past.lines()).toMatchObject([{ sequenceNumber: "2" }, { sequenceNumber: "3" }]);
    expect(past.stderr).toMatch(
      /^1 message will be locked and stays, which uses one delivery of each\.\n1 that cannot be deserialized stays/,
    );
    expect(await left()).toEqual({ ready: ["2, delivered 1", "4, delivered 0"], dead: [] });
    const all = ["receive", "orders", "--settle", "dead-letter", "--max", "9", "--wait", "200ms"];
    expect((await environment.run([...all, "--include-undeserializable"])).exitCode).toBe(1);
    expect(await left()).toMatchObject({ ready: [], dead: [{ deadLetterReason: "WaybillCommand" }, {}] });
  });

  it("leaves messages that cannot be read now, whatever it settles besides", async () => {
    await using environment = await open();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await fill(broker, "orders", [encoded({ id: 1 })]);
    });
    const all = ["receive", "orders", "--settle", "complete", "--include-undeserializable"];
    const taken = await environment.run([...all, "--config", fixture("unavailable.config.mjs")]);
    expect(taken).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(
        "Message 1 cannot be read now, because something that a serializer needs is unavailable, and stays.",
      ),
    });
    expect(await environment.withBroker((broker) => waiting(broker, { queue: "orders" }))).toHaveLength(1);
  });

  it("abandons each message once, and receives messages of a session", async () => {
    await using environment = await open();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await broker.createQueue("sessions", { requiresSession: true });
      await fill(broker, "orders", [encoded({ id: 1 })]);
      await fill(broker, "sessions", [{ ...encoded({ id: 2 }), sessionId: "s-1" }]);
    });
    const given = await environment.run([
      "receive",
      "orders",
      "--settle",
      "abandon",
      "-n",
      "9",
      "-w",
      "200ms",
    ]);
    expect(given.lines()).toHaveLength(1);
    const [message] = await environment.withBroker((broker) => waiting(broker, { queue: "orders" }));
    expect(message?.deliveryCount).toBe(1);
    const session = ["receive", "sessions", "--settle", "complete", "--next-session", "--body"];
    expect((await environment.run(session)).lines()).toMatchObject([{ sessionId: "s-1", body: { id: 2 } }]);
    expect(await environment.run([...session, "--wait", "200ms"])).toMatchObject({
      exitCode: 0,
      stdout: "",
      stderr: "No session with messages was found.\n",
    });
  });

  it("rehearses with the waiting messages, names their readers, and changes nothing", async () => {
    await using environment = await open();
    const text = { body: new TextEncoder().encode('"hello"') };
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await broker.createQueue("sessions", { requiresSession: true });
      await broker.createQueue("events");
      await fill(broker, "orders", [encoded({ id: 1 }), text, text, garbage]);
      const event = { specversion: "1.0", id: "1", source: "/shop", type: "order.placed", data: {} };
      await fill(broker, "events", [{ body: new TextEncoder().encode(JSON.stringify(event)) }]);
      await fill(
        broker,
        "sessions",
        ["a", "b"].map((sessionId) => ({ ...encoded({ id: 1 }), sessionId })),
      );
    });
    const rehearsed = await environment.run(["rehearse", "orders"]);
    expect(rehearsed).toMatchObject({ exitCode: 1, stderr: "" });
    expect(rehearsed.json()).toMatchObject({
      entityPath: "orders",
      messageCount: 4,
      decodedCount: 1,
      undeserializableCount: 3,
      unavailableCount: 0,
      isWhole: true,
      groups: [
        {
          outcome: "undeserializable",
          reason: "NoDeserializer",
          suggestion: 'contentTypePolicies: { missing: { assume: "json" } }',
          messageCount: 2,
          firstSequenceNumber: "2",
        },
        {
          contentType: "application/json",
          messageType: "order-placed",
          reader: "json",
          outcome: "decoded",
          messageCount: 1,
          firstSequenceNumber: "1",
        },
        { outcome: "undeserializable", reason: "NoDeserializer", messageCount: 1, firstSequenceNumber: "4" },
      ],
      advice:
        '2 of 4 messages have no content type and look like JSON: contentTypePolicies: { missing: { assume: "json" } } would read them.',
    });
    const table = await environment.run(["rehearse", "orders", "--no-json", "--max", "2"]);
    expect(table.stdout).toMatch(/^CONTENT TYPE +TYPE +READ BY +OUTCOME/);
    expect(table.stdout).toContain("orders: 1 of 2 messages can be read, and there are more\n");
    const events = await environment.run(["rehearse", "events", "--no-json"]);
    expect(events.stdout).toContain(
      "1 message from 1: It looks like a CloudEvent whose content type was lost: add",
    );
    const session = await environment.run(["rehearse", "sessions", "--session-id", "b"]);
    expect(session.json()).toMatchObject({ messageCount: 1, groups: [{ firstSequenceNumber: "2" }] });
    const left = await environment.withBroker((broker) => waiting(broker, { queue: "orders" }));
    expect(left.map(({ deliveryCount, state }) => [deliveryCount, state])).toEqual(
      new Array(4).fill([0, "active"]),
    );
  });

  it("rehearses a topic only while it is watched, and leaves no subscription behind", async () => {
    await using environment = await open();
    await environment.withBroker((broker) => broker.createTopic("events"));
    const mirror = ["rehearse", "events", "--mirror"];
    const unwatched = await environment.run(mirror);
    expect(unwatched).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("give --watch, too") });
    const watched = await environment.run([...mirror, "--watch", "10ms"]);
    expect(watched.stderr).toMatch(
      /^Watching events\/Subscriptions\/waybill-rehearse-\w{8}, which was made for this and is removed at the end\.\n$/,
    );
    expect(watched.json()).toMatchObject({ messageCount: 0, answer: "not-known" });
    const missing = await environment.run(["rehearse", "other", "--mirror", "--watch", "10ms"]);
    expect(missing).toMatchObject({ exitCode: 3, stdout: "" });
    const left = await environment.withBroker(async (broker) => broker.listEntities());
    expect(left.map(({ path }) => path)).toEqual(["events"]);
  });

  it("groups a census by the probable origin of bodies", async () => {
    await using environment = await open();
    // 00, the id 7, and the Avro payload of the string "a".
    const framed = { body: Uint8Array.of(0, 0, 0, 0, 7, 2, 0x61), contentType: "application/octet-stream" };
    const text = { body: { section: "value", value: 7 } } as const;
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await fill(broker, "orders", [framed, encoded({ id: 1 }), framed, text]);
    });
    const census = await environment.run(["census", ...environment.entities("orders")]);
    expect(census.exitCode).toBe(1);
    expect(census.json<{ groups: object[] }>().groups).toMatchObject([
      { origin: "Avro with the id 7 in Confluent's framing", status: "undeserializable", count: 2 },
      { origin: "JSON", status: "decoded", count: 1 },
      { origin: "an AMQP value", status: "decoded", count: 1 },
    ]);
    const table = await environment.run(["census", ...environment.entities("orders"), "--no-json"]);
    expect(table.stdout).toMatch(/LOOKS LIKE .*\n.*nobody: +Avro with.*\n.*NoDeserializer/);
  });

  it("takes a census, and checks it directly or from a file", async () => {
    await using environment = await open();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await broker.createTopic("events");
      await broker.createSubscription("events", "billing");
      await fill(broker, "orders", [encoded({ id: 1 }), encoded({ id: 2 })], "Test");
      await fill(broker, "events", [encoded({ id: 3 }, "msgpack")]);
    });
    const entities = environment.entities("orders", "events/Subscriptions/billing");

    const census = await environment.run(["census", ...entities]);
    expect(census).toMatchObject({ exitCode: 0, stderr: "" });
    const { groups } = census.json<{ groups: object[] }>();
    expect(groups).toMatchObject([
      { entityPath: "events/Subscriptions/billing", serializer: "msgpack", count: 1 },
      { entityPath: "orders", subQueue: "deadLetter", serializer: "json", count: 2 },
    ]);
    const table = await environment.run(["census", ...entities, "--no-json"]);
    expect(table.stdout).toMatch(/orders\/ +active +application\/json +order-placed .*\n\$DeadLetterQueue/);
    expect(table.stdout).toContain("3 messages in 7 places");

    // Starting the command's process takes longer than that.
    const stopped = ["--writers-stopped-at", new Date().toISOString()];
    const evidence = [...stopped, "--session-states-are-free", "--reads", "waybill-reads"];
    await environment.withBroker(async (broker) => {
      await broker.createQueue("waybill-reads");
      await recordNoReads(broker);
    });
    const no = await environment.run(["verdict", "json", ...evidence, ...entities]);
    expect(no.exitCode).toBe(1);
    expect(no.json()).toMatchObject({
      answer: "no",
      waiting: 2,
      reasons: [{ obstacle: "waiting", place: "orders/$DeadLetterQueue", count: 2 }],
    });
    await environment.withBroker((broker) => broker.purge("orders/$DeadLetterQueue"));
    const unread = await environment.run([
      ...["verdict", "json", ...stopped, "--session-states-are-free", "--no-json"],
      ...entities,
    ]);
    expect(unread).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(
        /^safe to retire json.*: not known\n {2}reads-unknown: what consumers have read .*\n {4}let the consumer run with recordReads/,
      ),
    });
    const yes = await environment.run(["verdict", "json", ...evidence, ...entities, "--no-json"]);
    expect(yes).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^safe to retire json.*: yes\n/),
    });
    const file = await environment.write("census.json", census.stdout);
    const later = await environment.run(["verdict", "json", "--census", file, ...evidence, "--no-json"]);
    expect(later).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("safe to retire json: no") });
  });

  it("counts of earlier censuses only the entities that are named", async () => {
    await using environment = await open();
    await environment.withBroker(async (broker) => {
      for (const queue of ["orders", "invoices", "waybill-reads"]) await broker.createQueue(queue);
      await fill(broker, "invoices", [encoded({ id: 1 })]);
    });
    const earlier = await environment.write(
      "earlier.json",
      (await environment.run(["census", "--json"])).stdout,
    );
    await environment.withBroker(async (broker) => {
      await broker.purge("invoices");
      await recordNoReads(broker);
    });
    // Before the message was sent.
    const stopped = ["--writers-stopped-at", new Date(Date.now() - 3_600_000).toISOString()];
    const evidence = [
      ...stopped,
      "--session-states-are-free",
      "--reads",
      "waybill-reads",
      "--earlier",
      earlier,
    ];
    const whole = await environment.run(["verdict", "json", ...evidence]);
    expect(whole).toMatchObject({ exitCode: 1 });
    expect(whole.json()).toMatchObject({ answer: "no", reasons: [{ contradicts: "writersStoppedAt" }] });
    const ofOrders = await environment.run(["verdict", "json", ...evidence, "--entity", "orders"]);
    expect(ofOrders).toMatchObject({ exitCode: 0 });
    expect(ofOrders.json()).toMatchObject({ answer: "yes", reasons: [] });
  });

  it("declares no version safe to retire without the message types", async () => {
    await using environment = await open();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      const message = { ...encoded({ id: 1 }), applicationProperties: { messageVersion: 1 } };
      await fill(broker, "orders", [message, message]);
    });
    const target = ["--message-type", "order-placed", "--message-version", "1"];
    const stopped = ["--writers-stopped-at", new Date().toISOString(), "--longest-schedule", "1ms"];
    const evidence = [...stopped, "--session-states-are-free", ...environment.entities("orders")];
    const verdict = await environment.run(["verdict", ...target, ...evidence, "--no-json"]);
    expect(verdict).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(
        /: not known\n {2}not-in-chain: the chain has no message types, so the census cannot/,
      ),
    });
    for (const instant of ["2026-02-30T12:00:00Z", "yesterday", "NaN"]) {
      const refused = await environment.run(["verdict", ...target, "--writers-stopped-at", instant]);
      expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("is not an instant") });
    }
  });

  it("repairs dead letters of a queue that detects duplicates and still remembers them", async () => {
    await using environment = await open();
    const messages = [1, 2].map((id) => ({ ...encoded({ id }), messageId: `order-${id}` }));
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders", { requiresDuplicateDetection: true });
      await fill(broker, "orders", messages, "Poison");
    });
    const repair = ["dead-letters", "repair", "orders", "--wait", "200ms", "--apply", "--receipts", "r"];
    const applied = await environment.run(repair);
    expect(applied).toMatchObject({
      exitCode: 0,
      stderr: "The target detects duplicates: each message gets a new id.\n",
    });
    const again = await environment.withBroker((broker) => waiting(broker, { queue: "orders" }));
    expect(again.map(({ applicationProperties }) => applicationProperties)).toMatchObject([
      { "waybill-original-message-id": "order-1" },
      { "waybill-original-message-id": "order-2" },
    ]);
  });

  it("lists dead letters by cause, shows them, and repairs them in two steps", async () => {
    await using environment = await open();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await fill(broker, "orders", [encoded({ id: 1 }), encoded({ id: 2 }, "msgpack"), garbage], "Poison");
      await fill(broker, "orders", [encoded({ id: 3 })], "Other");
    });
    const left = (subQueue?: "deadLetter") =>
      environment.withBroker(
        async (broker) => (await waiting(broker, { queue: "orders", ...(subQueue && { subQueue }) })).length,
      );

    const listed = await environment.run(["dead-letters", "list", "orders"]);
    expect(listed.exitCode).toBe(1);
    expect(listed.json()).toMatchObject([{ queue: "orders/$DeadLetterQueue", peeked: 4, decodable: 3 }]);
    const shown = await environment.run(["dead-letters", "show", "orders", "--format", "msgpack", "--body"]);
    expect(shown.lines()).toMatchObject([{ deadLetterReason: "Poison", body: { id: 2 } }]);

    const table = await environment.run(["dead-letters", "show", "orders", "--no-json", "--reason", "Other"]);
    expect(table.stdout).toMatch(/reason +Other\ndescription +because of Other\n/);

    const repair = ["dead-letters", "repair", "orders", "--wait", "200ms", "--reason", "Poison"];
    expect((await environment.run(repair)).json()).toEqual({
      isApplied: false,
      peeked: 4,
      resubmittable: 2,
      skipped: { undeserializable: 1, "not-selected": 1 },
    });
    expect(await left("deadLetter")).toBe(4);
    const applied = await environment.run([
      ...repair,
      "--apply",
      "--receipts",
      "orders.receipts",
      "--transcode",
    ]);
    expect(applied).toMatchObject({ exitCode: 1, stderr: "" });
    expect(applied.json()).toMatchObject({
      isApplied: true,
      resubmitted: 2,
      skipped: { undeserializable: 1 },
    });
    expect([await left(), await left("deadLetter")]).toEqual([2, 2]);
    const receipts = await readFile(join(environment.folder, "orders.receipts"), "utf8");
    expect(receipts.match(/"removed"/g)).toHaveLength(2);
    const rest = [
      ...repair.slice(0, 5),
      "--apply",
      "--receipts",
      "orders.receipts",
      "--include-undeserializable",
    ];
    expect((await environment.run([...rest, "--rate", "100"])).json()).toMatchObject({
      resubmitted: 2,
      skipped: {},
    });
    expect(await left("deadLetter")).toBe(0);
  });

  it("captures golden messages without payload and checks the chain against them", async () => {
    await using environment = await open();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await fill(broker, "orders", [
        encoded({ name: "Ada", status: "paid" }),
        encoded({ id: 4711 }, "msgpack"),
      ]);
    });

    const capture = ["golden", "capture", "golden", "--keep", "/status", ...environment.entities("orders")];
    const captured = await environment.run(capture);
    expect(captured).toMatchObject({ exitCode: 0, stderr: "" });
    expect(captured.json()).toMatchObject({ peeked: 2, written: [expect.any(String), expect.any(String)] });
    const files = await readdir(join(environment.folder, "golden"));
    const texts = await Promise.all(
      files.map((file) => readFile(join(environment.folder, "golden", file), "utf8")),
    );
    expect(texts.join()).toContain("paid");
    expect(texts.join()).not.toMatch(/Ada|4711/);
  });
});

describe("a topic that is rehearsed through a mirror", () => {
  it("shows what is published meanwhile, although a consumer takes it at once", async () => {
    await using environment = await openServerEnvironment();
    await environment.withBroker(async (broker) => {
      await broker.createTopic("events");
      await broker.createSubscription("events", "billing");
      const mirrors = () => broker.listEntities().filter(({ path }) => path.includes("waybill-rehearse"));
      const running = environment.run(["rehearse", "events", "--mirror", "--watch", "1h", "--max", "25"]);
      await expect.poll(mirrors).toHaveLength(1);
      for (let id = 0; id <= 25; id++) {
        await fill(broker, "events", [encoded({ id }, id % 5 === 0 ? "msgpack" : "json")]);
        await broker.receiver("events/Subscriptions/billing", { mode: "receiveAndDelete" }).receive();
      }
      expect((await running).json()).toMatchObject({
        messageCount: 25,
        groups: [
          { reader: "json", messageCount: 20 },
          { reader: "msgpack", messageCount: 5 },
        ],
      });
      expect(mirrors()).toEqual([]);
    });
  });
});

describe("against the data directory of a stopped server", () => {
  it("reads what clients sent over AMQP", async () => {
    await using environment = await openDataEnvironment();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders", { maxDeliveryCount: 1 });
      await using server = await serve(broker, { port: 0 });
      const client = new ServiceBusClient(server.connectionString);
      const sender = client.createSender("orders");
      await sender.sendMessages({
        body: { id: 1 },
        contentType: "application/json",
        applicationProperties: { n: 1 },
      });
      await sender.sendMessages({ body: garbage, applicationProperties: { n: 2 } });
      await client.close();
    });
    const peeked = await environment.run(["peek", "orders"]);
    expect(peeked).toMatchObject({ exitCode: 0, stderr: "" });
    expect(peeked.lines()).toMatchObject([
      { applicationProperties: { n: 1 } },
      { applicationProperties: { n: 2 } },
    ]);
  });
});

/** Says that a consumer keeps record of what it reads, and that it has read nothing. */
async function recordNoReads(broker: Broker): Promise<void> {
  await using transport = localTransport(broker);
  const now = new Date();
  const record = { reader: "warehouse", instance: "1", since: now, recordedAt: now, reads: [] };
  await queueReadStore(transport, "waybill-reads").record(record);
}
