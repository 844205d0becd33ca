import { WaybillError } from "@waybill/core";
import { describe, expect, it } from "vitest";
import type { RemovalEvent, RemovalPreview } from "./changes/remove-messages.js";
import { openExplorer, order } from "./fixture.test-support.js";

type Fixture = Awaited<ReturnType<typeof openExplorer>>;

const letters = "orders/$DeadLetterQueue";
const dead = { queue: "orders", subQueue: "deadLetter" } as const;
const none = { count: 0, examples: [] };

describe("deleting from the page", () => {
  it("shows exactly which messages it would delete, and deletes those", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.send(order(1), order(2), order(3));
    await fixture.deadLetter(3, "Late");
    const request = { entity: letters, number: ["1", "3", "77"] };
    const preview = await previewOf(fixture, request);
    expect(preview).toMatchObject({
      path: letters,
      removable: 2,
      gone: { count: 1, examples: ["77"] },
      messages: [
        { number: "1", messageId: "order-1", subject: "order-placed", reason: "Late", state: "active" },
        { number: "3", messageId: "order-3" },
      ],
    });
    expect(await fixture.waiting(dead)).toHaveLength(3);
    expect(await remove(fixture, request, preview)).toEqual({
      kind: "done",
      removed: 2,
      gone: { count: 1, examples: ["77"] },
      active: none,
    });
    expect((await fixture.waiting(dead)).map(({ messageId }) => messageId)).toEqual(["order-2"]);
  });

  it("reports what another receiver has locked, and what was moved meanwhile", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.send(order(1), order(2), order(3));
    await fixture.deadLetter(3);
    const request = { entity: letters, number: ["1", "2", "3"] };
    const preview = await previewOf(fixture, request);
    const other = fixture.transport.createReceiver(dead, "peekLock");
    const [first, second] = await other.receive({ maxMessages: 2, maxWaitTimeInMs: 0 });
    await other.complete(first?.settlement ?? {});
    expect(second?.messageId).toBe("order-2");
    expect(await remove(fixture, request, preview)).toMatchObject({
      removed: 1,
      gone: { count: 1, examples: ["1"] },
      locked: { count: 1, examples: ["2"] },
    });
    expect(await fixture.waiting(dead)).toHaveLength(1);
  });

  it("leaves active messages of a queue, which cannot be received alone", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.send(order(1));
    expect(await previewOf(fixture, { entity: "orders", number: ["1"] })).toMatchObject({
      removable: 0,
      active: { count: 1, examples: ["1"] },
    });
  });

  it("refuses an empty selection, which is not all messages", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.send(order(1));
    await fixture.deadLetter(1);
    for (const path of ["/api/remove/preview", "/api/remove"])
      expect(await fixture.post(path, { entity: letters, number: [], confirm: letters })).toMatchObject({
        status: 400,
        text: expect.stringContaining("number must name at least one message"),
      });
    expect(await fixture.waiting(dead)).toHaveLength(1);
  });

  it("waits for a repair of the same queue, and a repair for it", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.send(...Array.from({ length: 20 }, (_, id) => order(id)));
    await fixture.deadLetter(20);
    const request = { entity: letters, number: ["20"], upTo: ["20"], limit: 1 };
    await fixture.post("/api/repair", { entity: "orders", rate: 2 });
    expect(await fixture.post("/api/remove", request)).toMatchObject({
      status: 409,
      text: expect.stringContaining(`A repair of ${letters} is running.`),
    });
    const [job] = (await fixture.get("/api/repairs")).json<{ id: string }[]>();
    await fixture.post("/api/repair/cancel", { id: job?.id });
  });
});

describe("purging from the page", () => {
  it("removes all messages of a queue when its name is given, in every state", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.send(order(1), order(2));
    await fixture.transport
      .createSender("orders")
      .schedule([order(3)], new Date(fixture.clock.now() + 60_000));
    const preview = await previewOf(fixture, { entity: "orders" });
    expect(preview).toMatchObject({ removable: 3, states: { active: 2, deferred: 0, scheduled: 1 } });
    expect(await fixture.post("/api/remove", { entity: "orders", limit: 3 })).toMatchObject({ status: 400 });
    expect(await remove(fixture, { entity: "orders", confirm: "Orders" }, preview)).toMatchObject({
      error: "To remove all messages, confirm must be orders.",
    });
    // What arrives after the dry run stays.
    await fixture.send(order(4));
    expect(await remove(fixture, { entity: "orders", confirm: "orders" }, preview)).toMatchObject({
      removed: 3,
    });
    expect((await fixture.waiting({ queue: "orders" })).map(({ messageId }) => messageId)).toEqual([
      "order-4",
    ]);
  });

  it("goes through the sessions of a queue that needs them", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.broker.createQueue("baskets", { requiresSession: true });
    const sender = fixture.transport.createSender("baskets");
    await sender.send(["a", "b"].map((sessionId, id) => order(id, { sessionId })));
    const preview = await previewOf(fixture, { entity: "baskets" });
    expect(await remove(fixture, { entity: "baskets", confirm: "baskets" }, preview)).toMatchObject({
      removed: 2,
    });
  });

  it("says of scheduled messages that a key without Send cannot cancel them", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    await fixture.transport
      .createSender("orders")
      .schedule([order(1)], new Date(fixture.clock.now() + 60_000));
    const listening = await openExplorer({ allowChanges: true, transport: withoutSend(fixture) });
    expect((await listening.post("/api/remove/preview", { entity: "orders" })).json()).toMatchObject({
      forbidden: expect.stringMatching(
        /^Scheduled messages are cancelled through a sender\. .* lacks the Send claim\.$/,
      ),
    });
    await listening[Symbol.asyncDispose]();
  });
});

async function previewOf(fixture: Fixture, request: object): Promise<RemovalPreview> {
  return (await fixture.post("/api/remove/preview", request)).json<RemovalPreview>();
}

/** What a removal says last. It does not wait for more messages. */
async function remove(
  fixture: Fixture,
  request: object,
  { upTo, removable }: RemovalPreview,
): Promise<RemovalEvent | undefined> {
  const answer = await fixture.post("/api/remove", { ...request, upTo, limit: removable, wait: 0 });
  return answer.lines<RemovalEvent>().at(-1);
}

function withoutSend({ transport }: Fixture): Fixture["transport"] {
  const refused = async () => {
    throw new WaybillError("unauthorized", "no Send claim");
  };
  return new Proxy(transport, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name === "createSender")
        return (entity: string) => ({
          ...target.createSender(entity),
          createBatch: refused,
          close: async () => {},
        });
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
