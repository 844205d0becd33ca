import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import {
  createPipeline,
  defineMessage,
  type EncodedMessage,
  type Transport,
  WaybillError,
} from "@waybill/core";
import type { TransportReceiver } from "@waybill/core/transport";
import { WritePlan } from "@waybill/migration/plan";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, expect, it } from "vitest";
import { garbage, openExplorer, order } from "./fixture.test-support.js";
import type { FoundNumber } from "./reads/find-number.js";
import type { HealthView } from "./reads/health.js";
import type { MessagePage } from "./reads/list-messages.js";
import type { MessageView } from "./reads/message-view.js";

const anInstant = expect.stringMatching(/^\d{4}-.*Z$/);

describe("an explorer", () => {
  it("counts by state", async () => {
    await using fixture = await openExplorer();
    await fixture.send(order(1), order(2), order(3));
    await fixture.deadLetter(1);
    await fixture.transport.createSender("orders").schedule([order(4)], new Date(Date.now() + 60_000));
    const [entity] = (await fixture.get("/api/entities")).json<Record<string, unknown>[]>();
    expect(entity).toMatchObject({
      path: "orders",
      kind: "queue",
      counts: { active: 2, deferred: 0, scheduled: 1, deadLetter: 1 },
    });
  });

  it("pages through messages, forwards, backwards and by state", async () => {
    await using fixture = await openExplorer();
    await fixture.send(...Array.from({ length: 20 }, (_, id) => order(id)));
    await fixture.transport.createSender("orders").schedule([order(99)], new Date(Date.now() + 60_000));
    const numbers = async (query: string) => {
      const { rows, next } = (await fixture.get(`/api/messages?entity=orders&${query}`)).json<{
        rows: { sequenceNumber: string; dueAt?: string }[];
        next: string | undefined;
      }>();
      return { numbers: rows.map((row) => row.sequenceNumber).join(" "), next, dueAt: rows[0]?.dueAt };
    };
    expect(await numbers("max=3")).toMatchObject({ numbers: "1 2 3", next: "4" });
    expect(await numbers("max=3&from=4")).toMatchObject({ numbers: "4 5 6", next: "7" });
    expect(await numbers("max=3&before=7")).toMatchObject({ numbers: "4 5 6" });
    expect(await numbers("max=3&before=2")).toMatchObject({ numbers: "1" });
    expect(await numbers("max=3&newest=true")).toMatchObject({ numbers: "19 20 21" });
    expect((await numbers("max=3&from=19")).next).toBeUndefined();
    expect(await numbers("state=scheduled")).toMatchObject({ numbers: "21", dueAt: expect.any(String) });
    expect((await fixture.get("/api/range?entity=orders&expected=5")).json()).toEqual({
      first: "1",
      last: "21",
    });
  });

  it("finds the newest messages and those before one, whatever gaps the numbers have", async () => {
    await using fixture = await openExplorer();
    await fixture.broker.createQueue("shared", { enablePartitioning: true });
    const keyed = (id: number) => order(id, { partitionKey: `key-${id % 7}` });
    for (let id = 0; id < 700; id++) await fixture.transport.createSender("shared").send([keyed(id)]);
    const all = await fixture.waiting({ queue: "shared" });
    const numbers = all.map(({ sequenceNumber }) => String(sequenceNumber));
    const page = async (query: string) => {
      const answer = await fixture.get(`/api/messages?entity=shared&max=100&${query}`);
      const { rows, ...ends } = answer.json<MessagePage>();
      return { rows: rows.map(({ sequenceNumber }) => sequenceNumber), ...ends };
    };
    expect(await page("newest=true")).toEqual({ rows: numbers.slice(600), previous: numbers[599] });
    expect(await page(`before=${numbers[350]}`)).toEqual({
      rows: numbers.slice(250, 350),
      previous: numbers[249],
      next: numbers[350],
    });
    expect(await page(`before=${numbers[100]}`)).toEqual({ rows: numbers.slice(0, 100), next: numbers[100] });
    expect(await page(`from=${numbers[600]}`)).toEqual({ rows: numbers.slice(600) });
  });

  it("finds the first message that was enqueued at a time", async () => {
    await using fixture = await openExplorer();
    const times: string[] = [];
    for (let id = 0; id < 20; id++) {
      times.push(new Date(fixture.clock.now()).toISOString());
      await fixture.send(order(id));
      fixture.clock.advance(60_000);
    }
    const numberAt = async (at: string) =>
      (await fixture.get(`/api/number-at?entity=orders&at=${at}`)).json<FoundNumber>().number;
    expect(await numberAt(times[12] ?? "")).toBe("13");
    expect(await numberAt("2001-01-01T00:00:00Z")).toBe("1");
    expect(await numberAt("2201-01-01T00:00:00Z")).toBeUndefined();
    expect((await fixture.get("/api/number-at?entity=orders&at=soon")).status).toBe(400);
  });

  it("finds the earliest message of a time in all partitions, whose numbers say nothing about each other", async () => {
    await using fixture = await openExplorer();
    await fixture.broker.createQueue("shared", { enablePartitioning: true });
    const sender = fixture.transport.createSender("shared");
    for (let id = 0; id < 40; id++) {
      await sender.send([order(id, { partitionKey: `key-${id % 5}` })]);
      fixture.clock.advance(60_000);
    }
    const messages = await fixture.waiting({ queue: "shared" });
    for (const { sequenceNumber, enqueuedTimeUtc } of messages) {
      const at = new Date((enqueuedTimeUtc?.getTime() ?? 0) - 1).toISOString();
      const found = await fixture.get(`/api/number-at?entity=shared&at=${at}`);
      expect(found.json<FoundNumber>().number).toBe(String(sequenceNumber));
    }
  });

  it("shows a value exactly, with the serializer that read it", async () => {
    await using fixture = await openExplorer();
    await fixture.send(order(12345678901234567890n));
    const view = (await fixture.get("/api/message?entity=orders&number=1")).json<MessageView>();
    expect(view.reading).toMatchObject({ status: "decoded", serializer: "json", position: 1, attempts: [] });
    expect(view.reading.value).toMatchObject({
      kind: "object",
      items: [{ name: "id", node: { kind: "bigint", text: "12345678901234567890" } }, { name: "lines" }],
    });
  });

  it("shows each attempt with stage, reason and offset, and the bytes around it", async () => {
    await using fixture = await openExplorer();
    await fixture.send(garbage);
    const view = (await fixture.get("/api/message?entity=orders&number=1")).json<MessageView>();
    expect(view.reading).toMatchObject({
      status: "undeserializable",
      reason: "DeserializationFailed",
      decisive: 0,
    });
    expect(view.reading.attempts[0]).toMatchObject({
      serializer: "msgpack",
      stage: "decode",
      reason: "truncated",
      offset: expect.any(Number),
    });
    expect(view.hex).toMatchObject({
      from: 0,
      hex: "82a16101a1",
      bytes: 5,
      offset: view.reading.attempts[0]?.offset,
    });
    const forced = (await fixture.get("/api/message?entity=orders&number=1&readAs=json")).json<MessageView>();
    expect(forced).toMatchObject({ status: "undeserializable", reading: { readAs: "json" } });
    expect((await fixture.get("/api/message?entity=orders&number=1&readAs=nobody")).status).toBe(400);
  });

  it("shows a body that is text as text and as JSON, whatever the chain makes of it", async () => {
    await using fixture = await openExplorer();
    const text = '{"id": 12345678901234567890, "note": "Grüße"}';
    const body = new TextEncoder().encode(text);
    await fixture.send(
      { body, contentType: "application/vnd.msgpack" },
      { body: new TextEncoder().encode("plain"), contentType: "image/png" },
      garbage,
    );
    const ask = async (path: string) =>
      await Promise.all(
        [1, 2, 3].map((number) => fixture.get(`/api/${path}?entity=orders&number=${number}`)),
      );
    const views = (await ask("message")).map((answer) => answer.json<MessageView>());
    expect(views.map(({ status, isText }) => [status, isText])).toEqual([
      ["decoded", true],
      ["undeserializable", true],
      ["undeserializable", false],
    ]);
    const [mislabelled, plain, bytes] = await ask("text");
    expect(mislabelled?.json()).toEqual({
      text,
      length: text.length,
      json: expect.objectContaining({
        items: [
          { step: 0, name: "id", node: { kind: "bigint", text: "12345678901234567890" } },
          { step: 1, name: "note", node: { kind: "string", text: "Grüße", length: 5 } },
        ],
      }),
    });
    expect(plain?.json()).toEqual({ text: "plain", length: 5 });
    expect(bytes).toMatchObject({ status: 404, text: expect.stringContaining("not text") });
    const copied = async (query: string) =>
      (await fixture.get(`/api/copied?entity=orders&${query}`)).json<{ text: string }>().text;
    expect(await copied("number=1&part=body")).toBe(text);
    expect(await copied("number=3&part=body")).toBe("gqFhAaE=");
    expect(JSON.parse(await copied("number=1&part=value&plainJson=true"))).toEqual({
      id: { $bigint: "12345678901234567890" },
      note: "Grüße",
    });
  });

  it("reads a body with another serializer past the message type that refuses it, and says so", async () => {
    const type = defineMessage("order-placed", {
      version: 1,
      schemas: {
        1: {
          "~standard": { version: 1, vendor: "test", validate: () => ({ issues: [{ message: "never" }] }) },
        },
      },
    });
    const strict = createPipeline({
      serializer: msgpack(),
      additionalDeserializers: [json()],
      messageTypes: [type],
    });
    await using fixture = await openExplorer({ pipeline: strict });
    await fixture.send(order(1));
    const view = (await fixture.get("/api/message?entity=orders&number=1&readAs=json")).json<MessageView>();
    expect(view).toMatchObject({
      status: "undeserializable",
      reading: {
        status: "decoded",
        readAs: "json",
        refused: { stage: "validate", reason: "schema-violation" },
        value: { kind: "object" },
      },
    });
  });

  it("says what an unreadable body looks like, and which decoded body is an envelope", async () => {
    await using fixture = await openExplorer();
    const event = { specversion: "1.0", id: "1", source: "/shop", type: "order.placed", data: {} };
    const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
    await fixture.send({ body: Uint8Array.of(0xc3, 1, 1, 2, 3, 4, 5, 6, 7, 8, 0) }, { body: encode(event) });
    const [unreadable, enclosed] = await Promise.all(
      [1, 2].map(async (number) =>
        (await fixture.get(`/api/message?entity=orders&number=${number}`)).json<MessageView>(),
      ),
    );
    expect(unreadable?.reading).toMatchObject({
      status: "undeserializable",
      looksLike: expect.stringContaining("(@waybill/serializer-avro)"),
    });
    expect(enclosed?.reading).toMatchObject({
      status: "decoded",
      looksLike: expect.stringContaining("It looks like a CloudEvent whose content type was lost: add"),
    });
  });

  it("finds the byte of a character, but not in a compressed body", async () => {
    await using fixture = await openExplorer();
    const body = new TextEncoder().encode('{"\u00fc\u20ac":1,}');
    const label = { contentType: "application/json", applicationProperties: {} };
    const zipped = { ...label, applicationProperties: { "Content-Encoding": "gzip" } };
    await fixture.send({ ...label, body }, { ...zipped, body: Uint8Array.from(gzipSync(body)) });
    const [plain, compressed] = await Promise.all(
      [1, 2].map(async (number) =>
        (await fixture.get(`/api/message?entity=orders&number=${number}`)).json<MessageView>(),
      ),
    );
    expect(plain?.hex?.offset).toBe(body.length - 1);
    expect(compressed?.reading.status).toBe("undeserializable");
    expect(compressed?.hex?.offset).toBeUndefined();
  });

  it("truncates large values, and loads a part on request", async () => {
    await using fixture = await openExplorer();
    const body = new TextEncoder().encode(
      JSON.stringify({ list: Array.from({ length: 50_000 }, (_, i) => i) }),
    );
    await fixture.send({ ...order(1), body });
    const answer = await fixture.get("/api/message?entity=orders&number=1");
    expect(answer.text.length).toBeLessThan(30_000);
    const part = await fixture.get("/api/value?entity=orders&number=1&path=0&from=40000");
    const { size, from, items } = part.json<{ size: number; from: number; items: { node: unknown }[] }>();
    expect({ size, from, shown: items.length, first: items[0]?.node }).toEqual({
      size: 50_000,
      from: 40_000,
      shown: 100,
      first: { kind: "number", text: "40000" },
    });
    expect((await fixture.get("/api/value?entity=orders&number=1&path=0.1.2")).status).toBe(404);
    const hex = (await fixture.get("/api/hex?entity=orders&number=1&from=16&length=4")).json<{
      hex: string;
    }>();
    expect(Buffer.from(hex.hex, "hex").toString()).toBe(new TextDecoder().decode(body.subarray(16, 20)));
  });

  it("groups dead letters, and reports how many of them the chain reads now", async () => {
    await using fixture = await openExplorer();
    await fixture.send(order(1), order(2), garbage);
    await fixture.deadLetter(3);
    expect((await fixture.get("/api/dead-letters?entity=orders")).json()).toMatchObject({
      path: "orders/$DeadLetterQueue",
      peeked: 3,
      readable: 2,
      groups: [
        {
          reason: "DeserializationFailed",
          messageType: "order-placed",
          count: 2,
          readable: 2,
          serializer: "json",
        },
        { mediaType: "application/vnd.msgpack", count: 1, readable: 0, failure: { reason: "truncated" } },
      ],
    });
  });

  it("tells of each entity how old its messages are, and how many dead letters can be read now", async () => {
    await using fixture = await openExplorer();
    await fixture.broker.createQueue("empty");
    await fixture.send(order(1), order(2), garbage);
    await fixture.deadLetter(3);
    const sentAt = fixture.clock.now();
    await fixture.send(order(3));
    const look = { active: true, deadLetters: true };
    expect(await healthOf(fixture, { path: "orders", ...look }, { path: "empty", ...look })).toEqual([
      {
        path: "empty",
        at: anInstant,
        isPartitioned: false,
        deadLetters: { peeked: 0, readable: 0, isWhole: true },
      },
      {
        path: "orders",
        at: anInstant,
        isPartitioned: false,
        oldestAt: new Date(sentAt).toISOString(),
        deadLetters: { peeked: 3, readable: 2, isWhole: true, oldestAt: anInstant },
      },
    ]);
    expect(await healthOf(fixture, { path: "orders", deadLetters: true })).toMatchObject([
      { path: "orders", deadLetters: { peeked: 3 } },
    ]);
    expect(await healthOf(fixture, { path: "nowhere", ...look })).toEqual([
      { path: "nowhere", at: anInstant, isPartitioned: false },
    ]);
  });

  it("finds the number of the newest message, also from where it was before, but none in a partitioned queue", async () => {
    await using fixture = await openExplorer();
    await fixture.broker.createQueue("parts", { enablePartitioning: true });
    await fixture.transport.createSender("parts").send(Array.from({ length: 40 }, (_, id) => order(id)));
    await fixture.broker.createQueue("empty");
    await fixture.send(...Array.from({ length: 300 }, (_, id) => order(id)));
    const newestOf = async (more: object) =>
      (await healthOf(fixture, { path: "orders", newest: true, ...more }))[0]?.newest;
    expect(await newestOf({})).toBe("300");
    await fixture.send(order(301));
    expect(await newestOf({ known: "300" })).toBe("301");
    for (const path of ["empty", "parts"]) expect(await newestOf({ path })).toBeUndefined();
    const [parts] = await healthOf(fixture, { path: "parts", newest: true });
    expect(parts).toMatchObject({ isPartitioned: true });
    // It gets another number when it becomes active.
    await fixture.broker.createQueue("timed");
    await fixture.transport.createSender("timed").schedule([order(1)], new Date(Date.now() + 60_000));
    expect(await newestOf({ path: "timed" })).toBeUndefined();
  });

  it("says why an entity could not be looked into, unless its key may not or it is gone", async () => {
    await using fixture = await openExplorer();
    const refusing = (code: "quota-exceeded" | "unauthorized") =>
      withPeek(fixture.transport, () => Promise.reject(new WaybillError(code, "No more.")));
    await using full = await openExplorer({ transport: refusing("quota-exceeded") });
    await using forbidden = await openExplorer({ transport: refusing("unauthorized") });
    const look = { path: "orders", active: true, deadLetters: true };
    expect(await healthOf(full, look)).toEqual([
      { path: "orders", at: expect.any(String), isPartitioned: false, problem: "quota-exceeded: No more." },
    ]);
    expect((await healthOf(forbidden, look))[0]).not.toHaveProperty("problem");
    expect((await healthOf(fixture, { ...look, path: "nowhere" }))[0]).not.toHaveProperty("problem");
  });

  it("looks into a few entities at the same time, into at most 249 dead letters of each, and into no more than 200 entities", async () => {
    const open = { now: 0, most: 0 };
    await using fixture = await openExplorer();
    for (let id = 0; id < 40; id++) await fixture.broker.createQueue(`queue-${id}`);
    await fixture.send(...Array.from({ length: 250 }, (_, id) => order(id)));
    await fixture.deadLetter(250);
    await using counted = await openExplorer({ transport: counting(fixture.transport, open) });
    const look = { active: true, deadLetters: true };
    const paths = Array.from({ length: 40 }, (_, id) => `queue-${id}`);
    const found = await healthOf(counted, ...[...paths, "orders"].map((path) => ({ path, ...look })));
    expect(found).toHaveLength(41);
    expect(found.find(({ path }) => path === "orders")).toMatchObject({
      deadLetters: { peeked: 249, readable: 249, isWhole: false },
    });
    expect(open).toEqual({ now: 0, most: 16 });
    const many = Array.from({ length: 201 }, (_, id) => ({ path: `queue-${id}` }));
    expect(await fixture.post("/api/health", { entities: many })).toMatchObject({ status: 400 });
  });

  it("shows rules, and sessions with their state", async () => {
    await using fixture = await openExplorer();
    await fixture.broker.createTopic("events");
    await fixture.broker.createSubscription("events", "all");
    const rules = await fixture.get("/api/rules?entity=events%2FSubscriptions%2Fall");
    expect(rules.json()).toMatchObject([{ name: "$Default" }]);
    await fixture.broker.createQueue("sessions", { requiresSession: true });
    await fixture.transport.createSender("sessions").send([order(1, { sessionId: "one" })]);
    await fixture.transport
      .createSender("sessions")
      .send([order(2, { sessionId: "two" }), order(3, { sessionId: "two" })]);
    const enqueuedAt = expect.any(String);
    expect((await fixture.get("/api/sessions?entity=sessions")).json()).toEqual({
      sessions: [
        { sessionId: "two", count: 2, firstNumber: "2", oldestEnqueuedAt: enqueuedAt },
        { sessionId: "one", count: 1, firstNumber: "1", oldestEnqueuedAt: enqueuedAt },
      ],
      total: 2,
      peeked: 3,
      isComplete: true,
    });
    const state = await fixture.post("/api/session-state", { entity: "sessions", sessionId: "one" });
    expect(state.json()).toMatchObject({ sessionId: "one", hasState: false });
  });

  it("finds messages by text, path, property and reason, and keeps searches as files", async () => {
    await using fixture = await openExplorer();
    await fixture.send(order(1), order(2, { applicationProperties: { tenant: "contoso" } }), garbage);
    const hits = async (query: string) =>
      (await fixture.get(`/api/search?${query}`))
        .lines<{ kind: string; row?: { messageId: string } }>()
        .flatMap(({ kind, row }) => (kind === "hit" ? [row?.messageId] : []));
    expect(await hits("text=A-2")).toEqual(["order-2"]);
    expect(await hits(`path=${encodeURIComponent("$.lines[0].sku")}&value=a-1`)).toEqual(["order-1"]);
    expect(await hits(`path=${encodeURIComponent("$..sku")}&entity=orders`)).toEqual(["order-1", "order-2"]);
    expect(await hits("property=tenant&propertyValue=contoso")).toEqual(["order-2"]);
    expect(await hits("property=tenant&propertyValue=TOS")).toEqual(["order-2"]);
    expect(await hits("property=messageId&propertyValue=garbage")).toEqual(["garbage"]);
    expect(await hits("reason=truncated")).toEqual(["garbage"]);
    expect((await fixture.get("/api/search?path=lines")).text).toContain("must be a path");
    await fixture.post("/api/searches", { name: "by-sku", path: "$..sku", value: "a-1" });
    expect((await fixture.get("/api/searches")).json()).toEqual([
      { name: "by-sku", criteria: { path: "$..sku", value: "a-1" } },
    ]);
    expect(await readdir(join(fixture.directory, "searches"))).toEqual(["by-sku.search.json"]);
    expect((await fixture.post("/api/searches", { name: "../evil", text: "x" })).status).toBe(400);
  });

  it("follows a conversation by correlation id and trace", async () => {
    await using fixture = await openExplorer();
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    await fixture.send(
      order(1, {
        messageId: "question",
        replyTo: "answers",
        applicationProperties: { traceparent: `00-${trace}-00f067aa0ba902b7-01` },
      }),
      order(2, { messageId: "answer", correlationId: "question" }),
      order(3, {
        messageId: "side",
        applicationProperties: { traceparent: `00-${trace}-1111111111111111-01` },
      }),
      order(4, { messageId: "other" }),
    );
    const messages = (await fixture.get("/api/conversation?id=answer"))
      .lines<{ kind: string; messages: { row: { messageId: string } }[] }>()
      .flatMap(({ kind, messages: found }) => (kind === "done" ? found : []));
    expect(messages.map(({ row }) => row.messageId)).toEqual(["question", "answer", "side"]);
  });

  it("offers a message as a golden message, redacted by default", async () => {
    await using fixture = await openExplorer();
    await fixture.send(order(7));
    const redacted = await fixture.get("/api/golden?entity=orders&number=1");
    expect(redacted.headers["content-disposition"]).toMatch(
      /^attachment; filename="order-placed.*\.golden\.json"$/,
    );
    expect(redacted.json()).toMatchObject({ waybillGolden: 1, isRedacted: true });
    expect(redacted.text).not.toContain("a-7");
    expect((await fixture.get("/api/golden?entity=orders&number=1&redact=false")).text).toContain("a-7");
    expect((await fixture.get("/api/raw?entity=orders&number=1")).status).toBe(400);
  });

  it("keeps censuses in a file, and decides with them what can be retired", async () => {
    await using fixture = await openExplorer();
    expect((await fixture.get("/api/verdict?serializer=json")).status).toBe(409);
    await fixture.send(order(1));
    expect((await fixture.post("/api/census", {})).lines().at(-1)).toMatchObject({ kind: "done" });
    await fixture.send(order(2));
    await fixture.post("/api/census", {});
    const { points } = (await fixture.get("/api/census")).json<{ points: { counts: unknown[] }[] }>();
    expect(points.map(({ counts }) => counts)).toMatchObject([
      [{ entity: "orders", format: "json", count: 1 }],
      [{ entity: "orders", format: "json", count: 2 }],
    ]);
    expect(
      (await readFile(join(fixture.directory, "census/test.jsonl"), "utf8")).trim().split("\n"),
    ).toHaveLength(2);
    const verdict = (await fixture.get("/api/verdict?serializer=json")).json<{
      reasons: { obstacle: string }[];
    }>();
    expect(verdict).toMatchObject({ answer: "no", waiting: 2 });
    expect(verdict.reasons.map(({ obstacle }) => obstacle)).toEqual(["waiting", "writers"]);
  });

  it("decodes for other tools like Temporal's codec servers", async () => {
    await using fixture = await openExplorer();
    const packed = Buffer.from([0x81, 0xa2, 0x69, 0x64, 0x07]).toString("base64");
    const unknown = { metadata: { encoding: btoa("binary/plain") }, data: btoa("\u0001") };
    const { payloads } = (
      await fixture.post("/decode", {
        payloads: [{ metadata: { contentType: btoa("application/vnd.msgpack") }, data: packed }, unknown],
      })
    ).json<{ payloads: { metadata: Record<string, string>; data: string }[] }>();
    expect(atob(payloads[0]?.data ?? "")).toBe('{"id":7}');
    expect(atob(payloads[0]?.metadata.encoding ?? "")).toBe("json/plain");
    expect(payloads[1]).toEqual(unknown);
  });

  it("answers other requests while it peeks a long queue", async () => {
    await using fixture = await openExplorer();
    for (let first = 0; first < 5_000; first += 1_000)
      await fixture.send(...Array.from({ length: 1_000 }, (_, index) => order(first + index)));
    const ended: string[] = [];
    const search = fixture.get("/api/search?text=nothing").then(() => ended.push("search"));
    const entities = fixture.get("/api/entities").then(() => ended.push("entities"));
    await Promise.all([search, entities]);
    expect(ended).toEqual(["entities", "search"]);
  });

  it("shows the percentage of write plans, and of waiting messages in the new format", async () => {
    const type = defineMessage("order-placed", { version: 1 });
    const typed = createPipeline({
      serializer: msgpack(),
      additionalDeserializers: [json()],
      messageTypes: [type],
    });
    const plan = new WritePlan(type, { from: { serializer: "json" }, to: { serializer: "msgpack" } });
    await plan.setPercent(25, { override: true });
    await using fixture = await openExplorer({ pipeline: typed, writePlans: [plan] });
    for (const serializer of ["json", "json", "json", "msgpack"]) {
      const message = { subject: "order-placed", body: { id: 1 } };
      await fixture.send((await typed.serialize(message, { writeAs: { serializer } })) as EncodedMessage);
    }
    await fixture.post("/api/census", {});
    expect((await fixture.get("/api/census")).json()).toMatchObject({
      plans: [
        {
          messageType: "order-placed",
          from: "json version 1",
          to: "msgpack version 1",
          percent: 25,
          phase: "mixed",
          waitingPercent: 25,
        },
      ],
    });
  });

  it("refuses invalid requests without revealing payload", async () => {
    await using fixture = await openExplorer();
    expect((await fixture.get("/api/messages?entity=orders&max=1000000")).status).toBe(400);
    expect((await fixture.get("/api/messages?entity=$evil")).status).toBe(400);
    expect((await fixture.get("/api/messages?entity=nowhere")).json()).toMatchObject({
      error: expect.stringContaining("entity-not-found"),
    });
    expect((await fixture.get("/api/message?entity=orders&number=5")).status).toBe(404);
    expect((await fixture.get("/nowhere")).status).toBe(404);
  });
});

async function healthOf(
  fixture: Awaited<ReturnType<typeof openExplorer>>,
  ...entities: readonly object[]
): Promise<HealthView[]> {
  const health = (await fixture.post("/api/health", { entities })).lines<HealthView>();
  return health.toSorted((one, two) => one.path.localeCompare(two.path));
}

/** A transport whose receivers peek in another way. */
function withPeek(transport: Transport, peek: TransportReceiver["peek"]): Transport {
  return new Proxy(transport, {
    get(target, name) {
      if (name === "createReceiver") return () => ({ peek, close: async () => {} });
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** A transport that counts its open receivers. */
function counting(transport: Transport, open: { now: number; most: number }): Transport {
  return new Proxy(transport, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== "createReceiver") return typeof value === "function" ? value.bind(target) : value;
      return (...settings: Parameters<Transport["createReceiver"]>) => {
        const receiver = target.createReceiver(...settings);
        open.now++;
        open.most = Math.max(open.most, open.now);
        return {
          peek: receiver.peek.bind(receiver),
          close: async () => {
            open.now--;
            await receiver.close();
          },
        };
      };
    },
  });
}
