import { describe, expect, it } from "vitest";
import type { EditedView, EditPreview } from "./changes/edit-message.js";
import { garbage, openExplorer, order } from "./fixture.test-support.js";

type Fixture = Awaited<ReturnType<typeof openExplorer>>;

const dead = { queue: "orders", subQueue: "deadLetter" } as const;

/** What the form of the first message's dead letter sends when nothing was changed. */
const unchanged = {
  entity: "orders/$DeadLetterQueue",
  number: "1",
  messageId: "order-1",
  subject: "order-placed",
  contentType: "application/json",
};

describe("a dead letter that is edited in the page", () => {
  it("is shown with its differences, and with what the chain makes of it, before anything is sent", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.send(order(1, { applicationProperties: { tenant: "7", at: new Date(0) } }));
    await fixture.deadLetter(1);
    const same = await preview(fixture, { ...unchanged, applicationProperties: { tenant: "7" } });
    expect(same).toMatchObject({
      to: "orders",
      hasOwnId: false,
      difference: {
        isByteIdentical: true,
        properties: [
          { name: "DeadLetterReason", before: "DeserializationFailed" },
          { name: "waybill-resubmits", after: "1" },
        ],
        values: [],
        reading: { status: "decoded", serializer: "json" },
      },
    });
    const changed = await preview(fixture, {
      ...unchanged,
      body: '{"id":2}',
      subject: "order-changed",
      applicationProperties: { tenant: 8 },
    });
    expect(changed.difference).toMatchObject({
      isByteIdentical: false,
      properties: expect.arrayContaining([
        { name: "contentType", before: "application/json", after: "application/vnd.msgpack" },
        { name: "subject", before: "order-placed", after: "order-changed" },
        { name: "tenant", before: "7", after: "8" },
      ]),
      reading: { status: "decoded", serializer: "msgpack" },
    });
    expect(changed.difference.properties.map(({ name }) => name)).not.toContain("at");
    expect(changed.difference.values.length).toBeGreaterThan(0);
    const broken = await preview(fixture, { ...unchanged, base64: Buffer.from('{"id":').toString("base64") });
    expect(broken.difference.reading).toMatchObject({
      status: "undeserializable",
      reason: expect.any(String),
    });
    expect(await fixture.waiting({ queue: "orders" })).toEqual([]);
    expect(await fixture.waiting(dead)).toHaveLength(1);
  });

  it("is sent as it was changed, and then removed; properties that a form cannot hold stay", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.send(
      order(1, { applicationProperties: { at: new Date(0), tenant: "7", old: true } }),
      order(2),
    );
    await fixture.deadLetter(2);
    const sent = await edit(fixture, {
      ...unchanged,
      body: '{"id":5}',
      serializer: "json",
      correlationId: "c-1",
      applicationProperties: { tenant: "8" },
    });
    expect(sent).toEqual({
      outcome: "sent",
      skipped: [],
      messageId: "order-1",
      to: "orders",
      isPossibleDuplicate: false,
    });
    const [arrived, ...others] = await fixture.waiting({ queue: "orders" });
    expect(others).toEqual([]);
    expect(Buffer.from(arrived?.body as Uint8Array).toString()).toBe('{"id":5}');
    expect(arrived).toMatchObject({ messageId: "order-1", correlationId: "c-1", subject: "order-placed" });
    expect(arrived?.applicationProperties).toEqual({ at: new Date(0), tenant: "8", "waybill-resubmits": 1 });
    expect((await fixture.waiting(dead)).map(({ messageId }) => messageId)).toEqual(["order-2"]);
  });

  it("stays when it would be unreadable, unless told otherwise", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.send(garbage);
    await fixture.deadLetter(1);
    const same = { entity: "orders", number: "1", contentType: garbage.contentType };
    expect(await edit(fixture, same)).toMatchObject({ outcome: "refused", skipped: ["would-be-unreadable"] });
    expect(await fixture.waiting(dead)).toHaveLength(1);
    expect(await edit(fixture, { ...same, includeUndeserializable: true })).toMatchObject({
      outcome: "sent",
    });
    expect(await fixture.waiting(dead)).toEqual([]);
    expect(await edit(fixture, same)).toEqual({
      error: "Message 1 is no longer in orders/$DeadLetterQueue.",
    });
  });

  it("is not sent while another receiver has it locked", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.send(order(1));
    await fixture.deadLetter(1);
    const other = fixture.transport.createReceiver(dead, "peekLock");
    await other.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    expect(await edit(fixture, unchanged)).toMatchObject({
      outcome: "locked",
      lockedUntil: expect.stringMatching(/Z$/),
    });
    expect(await fixture.waiting({ queue: "orders" })).toEqual([]);
  });

  it("gets an id of its own where the queue detects duplicates", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.broker.deleteEntity("orders");
    await fixture.broker.createQueue("orders", { requiresDuplicateDetection: true });
    await fixture.send(order(1));
    await fixture.deadLetter(1);
    expect(await preview(fixture, unchanged)).toMatchObject({ hasOwnId: true });
    expect(await edit(fixture, unchanged)).toMatchObject({
      outcome: "sent",
      messageId: expect.stringMatching(/^waybill-resubmit:/),
    });
    expect(await fixture.waiting({ queue: "orders" })).toMatchObject([
      { applicationProperties: { "waybill-original-message-id": "order-1" } },
    ]);
  });

  it("is sent only to what is there, and waits until an interrupted repair is resumed or given up", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.send(...Array.from({ length: 20 }, (_, id) => order(id)));
    await fixture.deadLetter(20);
    const nowhere = { ...unchanged, to: "nowhere" };
    expect(await preview(fixture, nowhere)).toMatchObject({
      forbidden: "There is no queue or topic nowhere.",
    });
    expect(await edit(fixture, nowhere)).toEqual({ error: "There is no queue or topic nowhere." });
    const { id } = (await fixture.post("/api/repair", { entity: "orders", rate: 2 })).json<{ id: string }>();
    expect(await edit(fixture, unchanged)).toMatchObject({ error: expect.stringContaining("is running") });
    await fixture.post("/api/repair/cancel", { id });
    await expect
      .poll(async () => (await fixture.get("/api/repairs")).json<{ state: string }[]>()[0]?.state)
      .toBe("cancelled");
    expect(await edit(fixture, { ...unchanged, number: "20" })).toMatchObject({
      error: expect.stringContaining("was interrupted"),
    });
  });

  it("keeps the id, the type and the value of what was not changed", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    const bytes = Uint8Array.of(1, 2);
    await fixture.send(
      order(1, { correlationId: bytes as never, timeToLive: 90_000, sessionId: "s-1", partitionKey: "s-1" }),
    );
    await fixture.deadLetter(1);
    const template = await fixture.get("/api/template?entity=orders%2F%24DeadLetterQueue&number=1");
    const { correlationId, timeToLive } = template.json<{ correlationId: string; timeToLive: number }>();
    expect(timeToLive).toBe(90);
    const same = { ...unchanged, correlationId, timeToLive, sessionId: "s-1" };
    const { difference } = await preview(fixture, same);
    expect(difference.properties.map(({ name }) => name)).toEqual(["DeadLetterReason", "waybill-resubmits"]);
    expect((await preview(fixture, { ...same, sessionId: "s-2" })).difference.properties).toEqual(
      expect.arrayContaining([
        { name: "sessionId", before: "s-1", after: "s-2" },
        { name: "partitionKey", before: "s-1", after: "s-2" },
      ]),
    );
  });
});

async function preview(fixture: Fixture, request: object): Promise<EditPreview> {
  return (await fixture.post("/api/edit/preview", request)).json<EditPreview>();
}

/** It does not wait for more dead letters. */
async function edit(fixture: Fixture, request: object): Promise<EditedView> {
  return (await fixture.post("/api/edit", { ...request, wait: 0 })).json<EditedView>();
}
