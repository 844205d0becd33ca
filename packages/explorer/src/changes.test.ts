import { describe, expect, it } from "vitest";
import type { RepairJobView } from "./changes/repair-jobs.js";
import { garbage, openExplorer, order } from "./fixture.test-support.js";
import type { MessageTemplate } from "./reads/message-template.js";

type Fixture = Awaited<ReturnType<typeof openExplorer>>;

describe("an explorer without --allow-changes", () => {
  it("sends and repairs nothing", async () => {
    await using fixture = await openExplorer();
    await fixture.send(order(1));
    await fixture.deadLetter(1);
    for (const path of ["/api/send", "/api/repair", "/api/repair/cancel", "/api/remove", "/api/edit"])
      expect(await fixture.post(path, { entity: "orders", body: "{}", id: "1" })).toMatchObject({
        status: 403,
      });
    expect(await fixture.waiting({ queue: "orders" })).toEqual([]);
    expect(await fixture.waiting({ queue: "orders", subQueue: "deadLetter" })).toHaveLength(1);
  });
});

describe("a repair from the page", () => {
  it("shows the difference before it changes anything", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.send(order(1), garbage);
    await fixture.deadLetter(2);
    const asIs = await fixture.post("/api/repair/preview", { entity: "orders" });
    expect(asIs.json()).toMatchObject({
      resubmittable: 1,
      to: "orders",
      skipped: { undeserializable: 1 },
      examples: [{ isByteIdentical: true, values: [] }, { skip: "undeserializable" }],
    });
    const transcoded = await fixture.post("/api/repair/preview", { entity: "orders", transcode: true });
    expect(transcoded.json<{ examples: { properties: unknown[] }[] }>().examples[0]).toMatchObject({
      isByteIdentical: false,
      values: [],
      properties: expect.arrayContaining([
        { name: "contentType", before: "application/json", after: "application/vnd.msgpack" },
        { name: "waybill-resubmits", after: "1" },
      ]),
    });
    expect(await fixture.waiting({ queue: "orders" })).toEqual([]);
  });

  it("is refused before it begins if its target is not there, a subscription too", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.broker.createTopic("events");
    await fixture.broker.createSubscription("events", "billing");
    const ask = (path: string, to: string) => fixture.post(path, { entity: "orders", to });
    for (const [to, text] of [
      ["nowhere", "There is no queue or topic nowhere."],
      ["topic:nowhere", "There is no queue or topic nowhere."],
      ["events/Subscriptions/nobody", "The topic events has no subscription nobody."],
    ] as const) {
      expect((await ask("/api/repair/preview", to)).json()).toMatchObject({ forbidden: text });
      expect(await ask("/api/repair", to)).toMatchObject({
        status: 422,
        text: expect.stringContaining(text),
      });
    }
    expect((await ask("/api/repair/preview", "events/Subscriptions/billing")).json()).not.toHaveProperty(
      "forbidden",
    );
    expect((await fixture.get("/api/repair/interrupted?entity=orders")).json()).toEqual({});
  });

  it("takes every option of the command", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.send(order(1), order(2, { subject: "invoice" }));
    await fixture.deadLetter(2, "Late");
    const preview = async (more: object) =>
      (await fixture.post("/api/repair/preview", { entity: "orders", ...more })).json<{ plan: string[] }>();
    const all = { reason: ["Late"], messageType: ["invoice"], format: ["json"], number: ["2"] };
    const options = { ...all, maxResubmits: 5, rate: 4, limit: 1, wait: 5, targetDetectsDuplicates: true };
    expect(await preview(options)).toMatchObject({
      resubmittable: 1,
      plan: expect.arrayContaining([
        "only those with reason Late and messageType invoice and format json and number 2",
        "4 a second",
        "at most 1 in all",
      ]),
    });
    expect(await preview({ wait: 301 })).toMatchObject({ error: "wait must be an integer from 0 to 300." });
    expect(await preview({ limit: 0 })).toMatchObject({
      error: expect.stringMatching(/^limit must be an integer from 1 /),
    });
  });

  it("sends a selection only, and leaves what was sent again too often", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.send(order(1), order(2, { applicationProperties: { "waybill-resubmits": 2 } }), order(3));
    await fixture.deadLetter(3);
    const [first, second] = await fixture.waiting({ queue: "orders", subQueue: "deadLetter" });
    const number = [first, second].map((each) => String(each?.sequenceNumber));
    const preview = { entity: "orders", number, maxResubmits: 2 };
    expect((await fixture.post("/api/repair/preview", preview)).json()).toMatchObject({
      resubmittable: 1,
      skipped: { "not-selected": 1, "resubmitted-too-often": 1 },
    });
  });

  it("also sends what cannot be read, byte for byte, if told to", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.send({ messageId: "broken", contentType: "application/json", body: Buffer.from("{") });
    await fixture.deadLetter(1);
    const preview = async (more: object) =>
      (await fixture.post("/api/repair/preview", { entity: "orders", ...more })).json<object>();
    expect(await preview({})).toMatchObject({ resubmittable: 0, skipped: { undeserializable: 1 } });
    const all = { includeUndeserializable: true };
    expect(await preview(all)).toMatchObject({ resubmittable: 1, examples: [{ isByteIdentical: true }] });
    expect(await preview({ ...all, transcode: true })).toMatchObject({
      error: "What cannot be read cannot be written again: send it byte for byte, or leave it out.",
    });
    await fixture.post("/api/repair", { entity: "orders", ...all });
    await untilDone(fixture);
    expect((await fixture.waiting({ queue: "orders" })).map(({ messageId }) => messageId)).toEqual([
      "broken",
    ]);
  });

  it("can be cancelled halfway and resumed from its receipts, without loss or duplicates", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    const ids = Array.from({ length: 100 }, (_, id) => `order-${id}`);
    await fixture.send(...ids.map((_, id) => order(id)));
    await fixture.deadLetter(100);
    const first = (await fixture.post("/api/repair", { entity: "orders", rate: 10 })).json<RepairJobView>();
    expect((await fixture.post("/api/repair", { entity: "orders" })).status).toBe(409);
    await until(async () => (await jobs(fixture))[0]?.resubmitted === 50);
    await fixture.post("/api/repair/cancel", { id: first.id });
    await until(async () => (await jobs(fixture))[0]?.state === "cancelled");
    expect(await fixture.waiting({ queue: "orders" })).toHaveLength(50);
    await fixture.post("/api/repair", { entity: "orders", resume: true });
    await untilDone(fixture);
    expect((await jobs(fixture))[0]).toMatchObject({ resubmitted: 50, possibleDuplicates: [] });
    const there = (await fixture.waiting({ queue: "orders" })).map(({ messageId }) => messageId);
    expect(there.sort()).toEqual(ids.sort());
    expect(await fixture.waiting({ queue: "orders", subQueue: "deadLetter" })).toEqual([]);
  });

  it("is resumed with the group, body, target and rate that it was begun with, also by the next explorer", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.broker.createQueue("repaired");
    const others = Array.from({ length: 30 }, (_, id) => order(100 + id, { subject: "invoice" }));
    await fixture.send(...Array.from({ length: 20 }, (_, id) => order(id)), ...others);
    await fixture.deadLetter(50);
    const group = {
      reason: "DeserializationFailed",
      mediaType: "application/json",
      messageType: "order-placed",
    };
    const plan = { entity: "orders", group, transcode: true, to: "repaired", rate: 2 };
    const first = (await fixture.post("/api/repair", plan)).json<RepairJobView>();
    const words = [
      "the repair of orders/$DeadLetterQueue",
      "to repaired",
      expect.stringMatching(/^only those with kind .*messageType=order-placed/),
      "transcoded",
      "2 a second",
    ];
    expect(first.plan).toEqual(words);
    await until(async () => (await jobs(fixture))[0]?.resubmitted === 10);
    await fixture.post("/api/repair/cancel", { id: first.id });
    await until(async () => (await jobs(fixture))[0]?.state === "cancelled");

    const { transport, directory } = fixture;
    await using next = await openExplorer({ allowChanges: true, transport, directory });
    const { found } = (await next.get("/api/repair/interrupted?entity=orders")).json();
    expect(found).toMatchObject({ plan: words, sent: 10, maybeSent: 0 });
    expect(await next.post("/api/repair", { entity: "orders" })).toMatchObject({ status: 409 });
    const preview = await next.post("/api/repair/preview", { entity: "orders", resume: true });
    expect(preview.json()).toMatchObject({ resubmittable: 10, to: "repaired", plan: words });

    const second = await next.post("/api/repair", { entity: "orders", resume: true });
    expect(second.json()).toMatchObject({ plan: words });
    await until(async () => {
      fixture.clock.advance(500);
      return (await jobs(next))[0]?.state === "done";
    });
    const sent = await fixture.waiting({ queue: "repaired" });
    expect(sent.map(({ subject, contentType }) => `${subject} ${contentType}`)).toEqual(
      Array.from({ length: 20 }, () => "order-placed application/vnd.msgpack"),
    );
    expect(await fixture.waiting({ queue: "orders", subQueue: "deadLetter" })).toHaveLength(30);
    expect((await next.get("/api/repair/interrupted?entity=orders")).json()).toEqual({});
  });

  it("shows what was sent when the broker goes away in the middle, and says so", async () => {
    await using fixture = await openExplorer({ allowChanges: true, refreshIntervalInMs: 100 });
    await fixture.send(...Array.from({ length: 20 }, (_, id) => order(id)));
    await fixture.deadLetter(20);
    const live = fixture.follow("/api/live");
    await live.until(({ entities }) => entities !== undefined);
    await fixture.post("/api/repair", { entity: "orders", rate: 2 });
    await until(async () => (await jobs(fixture))[0]?.resubmitted === 10);
    await fixture.broker.close();
    await until(async () => {
      fixture.clock.advance(500);
      return (await jobs(fixture))[0]?.state === "failed";
    });
    const { entities, repairs, error } = await live.until(
      (line) => line.repairs[0]?.state === "failed" && line.error !== undefined,
    );
    const { found } = (await fixture.get("/api/repair/interrupted?entity=orders")).json<{
      found: { sent: number; maybeSent: number };
    }>();
    expect(found.sent).toBe(10);
    expect(repairs[0]).toMatchObject({
      resubmitted: found.sent,
      maybeSent: found.maybeSent,
      error: expect.stringMatching(
        /^The broker does not answer \(closed: .*\)\. When it does again, resume the repair: its receipts hold what was sent\.$/,
      ),
    });
    // Counts that cannot be read any more are those of before, and the page says why.
    expect({ paths: entities?.map(({ path }) => path), error }).toEqual({
      paths: ["orders"],
      error: expect.stringMatching(/^closed: /),
    });
  });

  it("gives up an interrupted one only when told to", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.send(...Array.from({ length: 20 }, (_, id) => order(id)));
    await fixture.deadLetter(20);
    const first = (await fixture.post("/api/repair", { entity: "orders", rate: 2 })).json<RepairJobView>();
    await until(async () => (await jobs(fixture))[0]?.resubmitted === 10);
    await fixture.post("/api/repair/cancel", { id: first.id });
    await until(async () => (await jobs(fixture))[0]?.state === "cancelled");
    await fixture.post("/api/repair", { entity: "orders", number: ["11"], replace: true });
    await untilDone(fixture);
    expect(await fixture.waiting({ queue: "orders" })).toHaveLength(11);
  });

  it("of a subscription needs a destination, or leave to reach its siblings through the topic", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.broker.createTopic("events");
    await fixture.broker.createSubscription("events", "billing");
    const entity = "events/Subscriptions/billing";
    for (const path of ["/api/repair", "/api/repair/preview"]) {
      expect(await fixture.post(path, { entity })).toMatchObject({
        status: 400,
        text: expect.stringContaining("whose other subscriptions get them too"),
      });
      expect(await fixture.post(path, { entity, throughTopic: true })).toMatchObject({ status: 200 });
    }
  });

  it("loses nothing where the queue detects duplicates and still remembers them", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.broker.deleteEntity("orders");
    await fixture.broker.createQueue("orders", { requiresDuplicateDetection: true });
    await fixture.send(order(1));
    await fixture.deadLetter(1);
    await fixture.post("/api/repair", { entity: "orders" });
    await untilDone(fixture);
    expect(await fixture.waiting({ queue: "orders" })).toHaveLength(1);
  });

  it("repairs only the selected group", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.send(order(1));
    await fixture.deadLetter(1, "One");
    await fixture.send(order(2));
    await fixture.deadLetter(1, "Two");
    await fixture.post("/api/repair", { entity: "orders", reason: ["Two"] });
    await untilDone(fixture);
    expect((await fixture.waiting({ queue: "orders" })).map(({ messageId }) => messageId)).toEqual([
      "order-2",
    ]);
  });
});

describe("a repair of one group", () => {
  it("selects exactly its dead letters, also if reason, format or type are absent", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    const { contentType: _, subject: __, ...bare } = order(1);
    await fixture.send(bare, order(2), { ...bare, messageId: "order-3", subject: "other" });
    await fixture.deadLetter(3);
    const { groups } = (await fixture.get("/api/dead-letters?entity=orders")).json<{
      groups: { mediaType: string; messageType?: string; examples: string[] }[];
    }>();
    const group = groups.find(
      ({ mediaType, messageType }) => mediaType === "(none)" && messageType === undefined,
    );
    expect(group?.examples).toEqual(["1"]);
    const preview = await fixture.post("/api/repair/preview", { entity: "orders", group });
    expect(preview.json()).toMatchObject({ resubmittable: 1, skipped: { "not-selected": 2 } });
    await fixture.post("/api/repair", { entity: "orders", group });
    await untilDone(fixture);
    expect((await fixture.waiting({ queue: "orders" })).map(({ messageId }) => messageId)).toEqual([
      "order-1",
    ]);
  });
});

describe("a message sent from the page", () => {
  it("is written by the chain, and checked before it is sent", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    const message = {
      entity: "orders",
      body: '{"id":1}',
      subject: "order-placed",
      applicationProperties: { a: 1 },
    };
    expect((await fixture.post("/api/send/check", message)).json()).toMatchObject({
      isSent: false,
      contentType: "application/vnd.msgpack",
    });
    expect(await fixture.waiting({ queue: "orders" })).toEqual([]);
    expect((await fixture.post("/api/send", { ...message, serializer: "json" })).json()).toMatchObject({
      isSent: true,
      contentType: "application/json",
    });
    const [sent] = await fixture.waiting({ queue: "orders" });
    expect(sent).toMatchObject({ subject: "order-placed", applicationProperties: { a: 1 } });
    expect(await fixture.post("/api/send", { ...message, body: "{" })).toMatchObject({ status: 400 });
    expect(await fixture.post("/api/send", { ...message, serializer: "nobody" })).toMatchObject({
      status: 422,
    });
  });

  it("is scheduled, with a time to live, a session and an address for the reply", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    const schedule = new Date(fixture.clock.now() + 3_600_000).toISOString();
    const message = { entity: "orders", body: '{"id":1}', replyTo: "answers", replyToSessionId: "r-1" };
    const sent = await fixture.post("/api/send", { ...message, schedule, timeToLive: 90, sessionId: "s-1" });
    expect(sent.json()).toMatchObject({ isSent: true, sequenceNumber: "1" });
    expect(await fixture.waiting({ queue: "orders" })).toMatchObject([
      {
        state: "scheduled",
        scheduledEnqueueTimeUtc: new Date(schedule),
        timeToLive: 90_000,
        sessionId: "s-1",
        replyTo: "answers",
        replyToSessionId: "r-1",
      },
    ]);
    expect((await fixture.post("/api/send", { ...message, schedule: "soon" })).status).toBe(400);
  });

  it("is sent byte for byte if it is given as bytes", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    const bytes = { entity: "orders", base64: "wMEA/w==", contentType: "application/x-own" };
    expect((await fixture.post("/api/send", bytes)).json()).toMatchObject({ isSent: true, bytes: 4 });
    expect(await fixture.waiting({ queue: "orders" })).toMatchObject([
      { body: Uint8Array.of(0xc0, 0xc1, 0, 0xff), contentType: "application/x-own" },
    ]);
  });

  it("is filled in from another message, without its id and its past", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    const applicationProperties = { tenant: "7", retries: 7, at: new Date(0), "waybill-resubmits": 2 };
    await fixture.send(
      order(1, { correlationId: "c-1", replyTo: "answers", applicationProperties }),
      garbage,
    );
    await fixture.deadLetter(1);
    const dead = encodeURIComponent("orders/$DeadLetterQueue");
    const template = (await fixture.get(`/api/template?entity=${dead}&number=1`)).json<MessageTemplate>();
    expect(template).toEqual({
      body: JSON.stringify({ id: 1, lines: [{ sku: "a-1" }] }, undefined, 2),
      serializer: "json",
      text: '{"id":1,"lines":[{"sku":"a-1"}]}',
      base64: Buffer.from('{"id":1,"lines":[{"sku":"a-1"}]}').toString("base64"),
      contentType: "application/json",
      subject: "order-placed",
      messageId: "order-1",
      correlationId: "c-1",
      replyTo: "answers",
      applicationProperties: { tenant: "7", retries: 7 },
      leftOut: ["at"],
    });
    const unreadable = await fixture.get("/api/template?entity=orders&number=2");
    expect(unreadable.json()).toMatchObject({ base64: "gqFhAaE=", contentType: "application/vnd.msgpack" });
    expect(unreadable.json()).not.toHaveProperty("body");
  });

  it("is asked about first: whether there is such a queue that takes it", async () => {
    await using fixture = await openExplorer();
    const ask = async (entity: string) => (await fixture.get(`/api/may-send?entity=${entity}`)).json();
    expect(await ask("orders")).toEqual({ answer: "yes" });
    expect(await ask("nowhere")).toEqual({ answer: "no", why: "There is no queue or topic nowhere." });
    await fixture.send(order(1));
    await fixture.deadLetter(1);
    const preview = await fixture.post("/api/repair/preview", { entity: "orders", to: "nowhere" });
    expect(preview.json()).toMatchObject({ forbidden: "There is no queue or topic nowhere." });
  });

  it("keeps 64-bit numbers exact", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.post("/api/send", { entity: "orders", body: '{"id":1234567890123456789}' });
    const view = await fixture.get("/api/message?entity=orders&number=1");
    expect(view.text).toContain('{"kind":"bigint","text":"1234567890123456789"}');
  });
});

async function jobs(fixture: Fixture): Promise<RepairJobView[]> {
  return (await fixture.get("/api/repairs")).json<RepairJobView[]>();
}

/** A repair waits two seconds of the broker's time for more dead letters. */
async function untilDone(fixture: Fixture): Promise<void> {
  await until(async () => {
    fixture.clock.advance(500);
    return (await jobs(fixture))[0]?.state === "done";
  });
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds()));
}
