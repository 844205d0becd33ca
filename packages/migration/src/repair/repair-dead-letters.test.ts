import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { createPipeline, type EncodedMessage } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, expect, it } from "vitest";
import { replaced } from "../fixture.test-support.js";
import { failing, garbage, openDeadLetters, order, pipeline } from "./dead-letters.test-support.js";
import { createMemoryReceipts, openReceiptFile } from "./receipt-log.js";
import { rehearseRepair } from "./rehearse-repair.js";
import type { RepairOptions } from "./repair-options.js";
import { resubmitFilter } from "./resubmission.js";
import { surveyDeadLetters } from "./survey-dead-letters.js";

describe("a survey of dead letters", () => {
  it("groups them by cause and reports how the current chain reads them", async () => {
    await using fixture = await openDeadLetters([order(1), garbage, order(2)]);
    const survey = await surveyDeadLetters({
      transport: fixture.transport,
      pipeline,
      from: { queue: "orders" },
    });
    expect(survey).toMatchObject({
      peeked: 3,
      decodable: 2,
      groups: [
        {
          deadLetterReason: "Test",
          mediaType: "application/json",
          messageType: "order-placed",
          status: "decoded",
          serializer: "json",
          failure: undefined,
          count: 2,
          resubmits: 0,
          examples: [1n, 3n],
        },
        {
          mediaType: "(none)",
          status: "undeserializable",
          reason: "NoDeserializer",
          failure: { stage: "select" },
          detail: expect.any(String),
          count: 1,
          examples: [2n],
        },
      ],
    });
    expect(await fixture.dead()).toHaveLength(3);
  });

  it("reports the attempt that reached the latest stage for undeserializable messages", async () => {
    const cutOff = { ...garbage, contentType: "application/vnd.msgpack", body: Uint8Array.of(0x92, 1) };
    await using fixture = await openDeadLetters([cutOff]);
    const { groups } = await surveyDeadLetters({
      transport: fixture.transport,
      pipeline,
      from: { queue: "orders" },
    });
    expect(groups).toMatchObject([
      { failure: { serializer: "msgpack", stage: "decode", reason: "count-exceeded" }, count: 1 },
    ]);
  });
});

describe("a rehearsal", () => {
  it("reports what a repair with the same options would do, and changes nothing", async () => {
    const messages = [order(1), garbage, order(2), order(3)];
    await using fixture = await openDeadLetters(messages);
    const select: RepairOptions["select"] = ({ message }) => message.messageId !== "order-2";
    const peeked: number[] = [];

    const rehearsal = await rehearseRepair({
      transport: fixture.transport,
      pipeline,
      from: { queue: "orders" },
      select,
      onPeeked: (count) => peeked.push(count),
    });

    expect(rehearsal).toEqual({
      peeked: 4,
      resubmittable: 2,
      skipped: { undeserializable: 1, "not-selected": 1 },
    });
    expect(peeked).toEqual([4]);
    expect(await fixture.dead()).toHaveLength(4);
    const { resubmitted, skipped } = await fixture.repair({ select });
    expect({ resubmittable: resubmitted, skipped }).toEqual({
      resubmittable: rehearsal.resubmittable,
      skipped: rehearsal.skipped,
    });
  });

  it("shows what would be sent, message by message", async () => {
    await using fixture = await openDeadLetters([order(1), garbage]);
    const seen: (readonly [string, unknown])[] = [];
    await rehearseRepair({
      transport: fixture.transport,
      pipeline,
      from: { queue: "orders" },
      body: "transcode",
      onRehearsed: ({ message, planned }) =>
        seen.push([String(message.messageId), typeof planned === "string" ? planned : planned.contentType]),
    });
    expect(seen).toEqual([
      ["order-1", "application/vnd.msgpack"],
      ["garbage", "undeserializable"],
    ]);
  });

  it("counts messages that cannot be transcoded, and stops at the limit", async () => {
    await using fixture = await openDeadLetters([order(1), order(2), order(3)]);
    const options = { transport: fixture.transport, from: { queue: "orders" } };
    const refuse = () => {
      throw new Error("refused");
    };
    const strict = msgpack({ schema: refuse });
    const loose = json({ schema: () => undefined });
    const unwritable = createPipeline({ serializer: strict, additionalDeserializers: [loose] });
    expect(await rehearseRepair({ ...options, pipeline: unwritable, body: "transcode" })).toEqual({
      peeked: 3,
      resubmittable: 0,
      skipped: { "not-writable": 3 },
    });
    expect(await rehearseRepair({ ...options, pipeline, body: "transcode", limit: 2 })).toEqual({
      peeked: 2,
      resubmittable: 2,
      skipped: {},
    });
  });
});

describe("a repair", () => {
  it("sends the original bytes, keeps all properties and removes those of dead-lettering", async () => {
    const sent: EncodedMessage = {
      ...order(1),
      correlationId: 7n,
      to: "somewhere",
      replyTo: "replies",
      replyToSessionId: "r-1",
      sessionId: "s-1",
      partitionKey: "s-1",
      timeToLive: 3_600_000,
      applicationProperties: { attempt: 1, when: new Date(0), blob: Uint8Array.of(1, 2) },
    };
    await using fixture = await openDeadLetters([sent]);

    expect(await fixture.repair()).toEqual({
      resubmitted: 1,
      resumed: 0,
      skipped: {},
      possibleDuplicates: [],
    });

    const { applicationProperties, ...properties } = sent;
    const [message] = await fixture.waiting();
    expect(message).toMatchObject(properties);
    expect(message?.applicationProperties).toEqual({ ...applicationProperties, "waybill-resubmits": 1 });
    expect(message?.deadLetterReason).toBeUndefined();
    expect(await fixture.dead()).toEqual([]);
  });

  it("writes the value again in the chain's main format if configured", async () => {
    await using fixture = await openDeadLetters([order(1)]);
    await fixture.repair({ body: "transcode" });
    const [message] = await fixture.waiting();
    expect(message).toMatchObject({
      contentType: "application/vnd.msgpack",
      messageId: "order-1",
      subject: "order-placed",
    });
    expect(pipeline.deserialize(message as EncodedMessage)).toMatchObject({ body: { id: 1 } });
  });

  it("removes the content encoding in any letter case when it transcodes", async () => {
    for (const name of ["Content-Encoding", "content-encoding"]) {
      const compressed = {
        ...order(1),
        body: gzipSync('{"id":1}'),
        applicationProperties: { [name]: "gzip" },
      };
      await using fixture = await openDeadLetters([compressed]);
      expect(await fixture.repair({ body: "transcode" })).toMatchObject({ resubmitted: 1 });
      const [message] = await fixture.waiting();
      expect(message?.applicationProperties).toEqual({ "waybill-resubmits": 1 });
      expect(pipeline.deserialize(message as EncodedMessage)).toMatchObject({ body: { id: 1 } });
    }
  });

  it("keeps AMQP's content encoding with the body, and removes it when it transcodes", async () => {
    const compressed = { ...order(1), body: gzipSync('{"id":1}'), contentEncoding: "gzip" };
    for (const body of ["as-is", "transcode"] as const) {
      await using fixture = await openDeadLetters([compressed]);
      expect(await fixture.repair({ body })).toMatchObject({ resubmitted: 1 });
      const [message] = await fixture.waiting();
      expect(message?.contentEncoding).toBe(body === "as-is" ? "gzip" : undefined);
      expect(pipeline.deserialize(message as EncodedMessage)).toMatchObject({ body: { id: 1 } });
    }
  });

  it("leaves messages that the current chain cannot read, that were not selected or were resubmitted too often", async () => {
    const tired = { ...order(3), applicationProperties: { "waybill-resubmits": 3 } };
    await using fixture = await openDeadLetters([order(1), garbage, order(2), tired]);

    const result = await fixture.repair({ select: ({ message }) => message.messageId !== "order-2" });

    expect(result).toMatchObject({
      resubmitted: 1,
      skipped: { undeserializable: 1, "not-selected": 1, "resubmitted-too-often": 1 },
    });
    const left = await fixture.dead();
    expect(left.map(({ messageId }) => messageId)).toEqual(["garbage", "order-2", "order-3"]);
    const receiver = fixture.transport.createReceiver(
      { queue: "orders", subQueue: "deadLetter" },
      "peekLock",
    );
    expect(await receiver.receive({ maxMessages: 10, maxWaitTimeInMs: 0 })).toHaveLength(3);
  });

  it("also sends undeserializable messages with includeUndeserializable", async () => {
    await using fixture = await openDeadLetters([garbage]);
    await fixture.repair({ includeUndeserializable: true });
    expect((await fixture.waiting())[0]?.body).toEqual(garbage.body);
  });

  it("sends to another queue, or to a topic for one subscription only", async () => {
    await using fixture = await openDeadLetters([order(1), order(2)]);
    await fixture.broker.createQueue("repaired");
    await fixture.broker.createTopic("events");
    for (const name of ["billing", "audit"]) {
      await fixture.broker.createSubscription("events", name);
      await fixture.broker.deleteRule("events", name, "$Default");
      await fixture.broker.createRule("events", name, {
        name: "own",
        filter: { type: "sql", expression: resubmitFilter(name, "sys.Label = 'order-placed'") },
      });
    }
    await fixture.repair({ to: { queue: "repaired" }, limit: 1 });
    await fixture.repair({ to: { topic: "events", subscription: "billing" } });

    const counts = Object.fromEntries(
      fixture.broker.listEntities().map(({ path, activeMessageCount }) => [path, activeMessageCount]),
    );
    expect(counts).toMatchObject({
      repaired: 1,
      "events/Subscriptions/billing": 1,
      "events/Subscriptions/audit": 0,
    });
  });

  it("does not exceed the rate", async () => {
    await using fixture = await openDeadLetters([order(1), order(2), order(3)]);
    let isDone = false;
    const repaired = fixture.repair({ maxPerSecond: 0.2 }).then(() => {
      isDone = true;
    });
    const counts: number[] = [];
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      counts.push((await fixture.waiting()).length);
      fixture.clock.advance(1_000);
    }
    await repaired;
    const steps = [...new Set(counts)];
    expect(steps).toEqual([...steps].sort());
    for (const sent of [1, 2])
      expect(counts.filter((count) => count === sent).length).toBeGreaterThanOrEqual(4);
    expect(await fixture.waiting()).toHaveLength(3);
  });

  it("is aborted between two batches only: resumed at once, it sends each message once", async () => {
    const orders = Array.from({ length: 10 }, (_, id) => order(id));
    await using fixture = await openDeadLetters(orders);
    const receipts = createMemoryReceipts();
    const controller = new AbortController();
    let sent = 0;
    const aborted = fixture.repair({
      receipts,
      // Five at once; the next five wait while the clock does not advance.
      maxPerSecond: 1,
      abortSignal: controller.signal,
      onProgress: ({ resubmitted }) => {
        sent = resubmitted;
        setImmediate(() => controller.abort());
      },
    });
    await expect(aborted).rejects.toMatchObject({ code: "aborted" });
    expect(sent).toBe(5);
    expect(await fixture.dead()).toHaveLength(5);
    expect(await fixture.repair({ receipts, maxPerSecond: 1 })).toEqual({
      resubmitted: 5,
      resumed: 0,
      skipped: {},
      possibleDuplicates: [],
    });
    expect(await fixture.dead()).toEqual([]);
    expect((await fixture.waiting()).map(({ messageId }) => messageId).sort()).toEqual(
      orders.map(({ messageId }) => messageId),
    );
  });

  it("does not abort a batch while it is being sent", async () => {
    await using fixture = await openDeadLetters([order(1), order(2)]);
    const receipts = createMemoryReceipts();
    const controller = new AbortController();
    const { transport } = fixture;
    const slow = replaced(transport, {
      createSender(entity) {
        const sender = transport.createSender(entity);
        return replaced(sender, {
          send(messages, options) {
            controller.abort();
            return sender.send(messages, options);
          },
        });
      },
    });
    const repair = { receipts, abortSignal: controller.signal, transport: slow };
    await fixture.repair(repair).catch(() => {});
    expect(await fixture.repair({ receipts })).toMatchObject({ possibleDuplicates: [] });
    expect(await fixture.waiting()).toHaveLength(2);
    expect(await fixture.dead()).toEqual([]);
  });

  it("refuses invalid options", async () => {
    await using fixture = await openDeadLetters([]);
    await expect(fixture.repair({ limit: 0 })).rejects.toThrow("limit must be above 0");
    await expect(fixture.repair({ body: "transcode", includeUndeserializable: true })).rejects.toThrow(
      "cannot be transcoded",
    );
    await expect(fixture.repair({ interrupted: "forget" as never })).rejects.toThrow("interrupted");
    await expect(fixture.repair({ body: "rewritten" as never })).rejects.toThrow("body");
  });

  it("of a subscription needs a target, or leave to go through the topic to its siblings", async () => {
    const from = { topic: "events", subscription: "billing" };
    await using fixture = await openDeadLetters([]);
    await fixture.broker.createTopic("events");
    for (const name of ["billing", "audit"]) await fixture.broker.createSubscription("events", name);
    await fixture.send("events", order(1));
    await fixture.deadLetter(from);
    const refusal =
      "The dead letters of billing cannot be sent to that subscription, only to its topic events";
    await expect(fixture.repair({ from })).rejects.toThrow(refusal);
    const rehearsal = rehearseRepair({ transport: fixture.transport, pipeline, from });
    await expect(rehearsal).rejects.toThrow(refusal);
    const to = { queue: "orders" };
    await expect(fixture.repair({ from, to, throughTopic: true })).rejects.toThrow("not both");

    expect(await fixture.repair({ from, throughTopic: true })).toMatchObject({ resubmitted: 1 });
    const waiting = Object.fromEntries(
      fixture.broker.listEntities().map(({ path, activeMessageCount }) => [path, activeMessageCount]),
    );
    expect(waiting).toMatchObject({ "events/Subscriptions/audit": 2, "events/Subscriptions/billing": 1 });
  });
});

describe("an interrupted repair", () => {
  it("resumes with its receipts: sent messages are removed, not sent again", async () => {
    await using fixture = await openDeadLetters([order(1), order(2)]);
    const receipts = createMemoryReceipts();
    await expect(
      fixture.repair({ receipts, transport: failing(fixture.transport, "before-complete") }),
    ).rejects.toThrow("killed");
    expect([await fixture.waiting(), await fixture.dead()]).toMatchObject([{ length: 2 }, { length: 2 }]);
    fixture.clock.advance(60_000);

    expect(await fixture.repair({ receipts })).toMatchObject({
      resubmitted: 0,
      resumed: 2,
      possibleDuplicates: [],
    });
    expect([await fixture.waiting(), await fixture.dead()]).toMatchObject([{ length: 2 }, { length: 0 }]);
  });

  it("does not confuse a message with the same sequence number in a recreated queue with a sent one", async () => {
    await using fixture = await openDeadLetters([order(1)]);
    const receipts = createMemoryReceipts();
    await expect(
      fixture.repair({ receipts, transport: failing(fixture.transport, "before-complete") }),
    ).rejects.toThrow("killed");
    await using elsewhere = await openDeadLetters([]);
    await elsewhere.send("orders", order(2));
    await elsewhere.deadLetter({ queue: "orders" });

    expect(await elsewhere.repair({ receipts })).toMatchObject({ resubmitted: 1, resumed: 0 });
    expect(await elsewhere.waiting()).toMatchObject([{ messageId: "order-2" }]);
  });

  it("recognises its receipts if the queue's name has another letter case", async () => {
    await using fixture = await openDeadLetters([order(1)]);
    const receipts = createMemoryReceipts();
    await expect(
      fixture.repair({ receipts, transport: failing(fixture.transport, "before-complete") }),
    ).rejects.toThrow("killed");
    fixture.clock.advance(60_000);
    expect(await fixture.repair({ receipts, from: { queue: "Orders" } })).toMatchObject({ resumed: 1 });
  });

  it("sends again messages that may have been sent, and reports them", async () => {
    for (const [when, waiting] of [
      ["before-send", 1],
      ["after-send", 2],
    ] as const) {
      await using fixture = await openDeadLetters([order(1)]);
      const receipts = createMemoryReceipts();
      await expect(fixture.repair({ receipts, transport: failing(fixture.transport, when) })).rejects.toThrow(
        "killed",
      );
      fixture.clock.advance(60_000);

      expect(await fixture.repair({ receipts })).toMatchObject({ resubmitted: 1, possibleDuplicates: [1n] });
      expect([await fixture.waiting(), await fixture.dead()]).toMatchObject([
        { length: waiting },
        { length: 0 },
      ]);
    }
  });

  it("causes no duplicate if the target detects duplicates, although the original's id is still in its window", async () => {
    await using fixture = await openDeadLetters([order(1)], { requiresDuplicateDetection: true });
    const receipts = createMemoryReceipts();
    const again = { receipts, targetDetectsDuplicates: true };
    await expect(
      fixture.repair({ ...again, transport: failing(fixture.transport, "after-send") }),
    ).rejects.toThrow("killed");
    fixture.clock.advance(60_000);

    expect(await fixture.repair(again)).toMatchObject({ resubmitted: 1, possibleDuplicates: [] });

    expect(await fixture.waiting()).toMatchObject([
      { applicationProperties: { "waybill-original-message-id": "order-1", "waybill-resubmits": 1 } },
    ]);
    expect(await fixture.dead()).toEqual([]);
  });

  it("keeps its receipts in a file, and tolerates an incomplete last line", async () => {
    const directory = await mkdtemp(join(tmpdir(), "waybill-receipts-"));
    const path = join(directory, "orders.receipts");
    await using fixture = await openDeadLetters([order(1)]);
    const first = await openReceiptFile(path);
    await expect(
      fixture.repair({ receipts: first, transport: failing(fixture.transport, "before-complete") }),
    ).rejects.toThrow("killed");
    await first.close();
    await writeFile(path, '{"step":"remov', { flag: "a" });
    fixture.clock.advance(60_000);

    const second = await openReceiptFile(path);
    expect(await fixture.repair({ receipts: second })).toMatchObject({ resumed: 1 });
    await second.close();

    const steps = (await readFile(path, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).step);
    expect(steps).toEqual(["plan", "sending", "sent", "removed", "ended"]);
    await rm(directory, { recursive: true });
  });

  it("refuses a file with other content", async () => {
    const directory = await mkdtemp(join(tmpdir(), "waybill-receipts-"));
    const path = join(directory, "notes.txt");
    await writeFile(path, "buy milk\n");
    await using fixture = await openDeadLetters([order(1)]);
    const receipts = await openReceiptFile(path);
    await expect(fixture.repair({ receipts })).rejects.toThrow(
      /configuration-invalid.*line 1 .*not a receipt/s,
    );
    await receipts.close();
    await rm(directory, { recursive: true });
  });

  it("does not change a file whose last line, without a line break, is not a receipt", async () => {
    const directory = await mkdtemp(join(tmpdir(), "waybill-receipts-"));
    const path = join(directory, "config.json");
    for (const text of ['{"precious":true}', "x", "buy milk\nbuy bread", `${" ".repeat(200_000)}x`]) {
      await writeFile(path, text);
      await expect(openReceiptFile(path)).rejects.toThrow(
        /configuration-invalid.*last line .*not a receipt/s,
      );
      expect(await readFile(path, "utf8")).toBe(text);
    }
    await rm(directory, { recursive: true });
  });
});
