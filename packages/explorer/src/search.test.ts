import { createPipeline } from "@waybill/core";
import { json as jsonSerializer } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { garbage, openExplorer, order } from "./fixture.test-support.js";
import type { SearchEvent } from "./search/search-messages.js";

type Fixture = Awaited<ReturnType<typeof openExplorer>>;

describe("a search", () => {
  it("finds parts of words in reason, description, properties, ids and body", async () => {
    await using fixture = await openExplorer();
    await fixture.send(
      order(1, { subject: "order-placed", applicationProperties: { tenant: "Contoso" } }),
      order(2, { subject: "invoice", correlationId: "follow-up" }),
      garbage,
    );
    await fixture.deadLetter(1, "PaymentServiceDown", "The bank did not answer.");
    expect(await idsFor(fixture, { text: "paymentserv" })).toEqual(["order-1"]);
    expect(await idsFor(fixture, { text: "bank did" })).toEqual(["order-1"]);
    expect(await idsFor(fixture, { reason: "ServiceDown" })).toEqual(["order-1"]);
    expect(await idsFor(fixture, { reason: "did not" })).toEqual(["order-1"]);
    expect(await idsFor(fixture, { text: "ntos" })).toEqual(["order-1"]);
    expect(await idsFor(fixture, { text: "nvoic" })).toEqual(["order-2"]);
    expect(await idsFor(fixture, { text: "low-u" })).toEqual(["order-2"]);
    expect(await idsFor(fixture, { text: "der-" })).toEqual(["order-2", "order-1"]);
    expect(await idsFor(fixture, { text: "SKU" })).toEqual(["order-2", "order-1"]);
    expect(await idsFor(fixture, { text: "rbag" })).toEqual(["garbage"]);
    expect(await idsFor(fixture, { path: "$..sku", value: "A-" })).toEqual(["order-2", "order-1"]);
  });

  it("takes a number only as a whole: 1 is no part of 12", async () => {
    await using fixture = await openExplorer();
    await fixture.send(order(1), order(12));
    expect(await idsFor(fixture, { path: "$.id", value: "1" })).toEqual(["order-1"]);
    expect(await idsFor(fixture, { property: "sequenceNumber", propertyValue: "2" })).toEqual(["order-12"]);
  });

  it("takes a text between slashes as a regular expression", async () => {
    await using fixture = await openExplorer();
    await fixture.send(order(1), order(12), order(21, { applicationProperties: { tenant: "AB-7" } }));
    expect(await idsFor(fixture, { text: "/^order-1\\d?$/" })).toEqual(["order-1", "order-12"]);
    expect(await idsFor(fixture, { path: "$.id", value: "/^.2/" })).toEqual(["order-12"]);
    expect(await idsFor(fixture, { property: "tenant", propertyValue: "/^ab-\\d$/i" })).toEqual(["order-21"]);
    expect((await fixture.get("/api/search?text=/(/")).text).toContain("/(/ is not a regular expression.");
  });

  it.each([
    { text: "/^(a+)+$/" },
    { path: "$.note", value: "/^(a+)+$/" },
    { property: "subject", propertyValue: "/(.*a){25}x/" },
  ])("ends when its regular expression takes exponential time, and says so: %o", async (criteria) => {
    await using fixture = await openExplorer();
    const long = `${"a".repeat(60)}!`;
    const body = new TextEncoder().encode(JSON.stringify({ note: long }));
    await fixture.send(order(1), order(2, { subject: long, body }));
    const { text } = await fixture.get(`/api/search?${new URLSearchParams({ ...criteria })}`);
    expect(text).toContain("takes too long for what is in the messages");
    expect(text.trim().split("\n")).toHaveLength(1);
    expect(await idsFor(fixture, { text: "/^order-[12]$/" })).toEqual(["order-1", "order-2"]);
  });

  it("tells how far it is, and of how many", async () => {
    await using fixture = await openExplorer();
    await fixture.send(...Array.from({ length: 600 }, (_, id) => order(id)));
    const events = await search(fixture, { text: "nothing" });
    const progress = events.filter((event) => event.kind === "progress");
    // At once, and then some times a second.
    expect(progress[0]).toMatchObject({ scanned: 250, expected: 600 });
    expect(events.at(-1)).toEqual({
      kind: "done",
      hits: 0,
      isComplete: true,
      scanned: 600,
      remembered: 0,
      expected: 600,
    });
  });
});

describe("a second search", () => {
  it("reads only what may be meant or has arrived, and finds the same", async () => {
    await using fixture = await openCounted();
    await fixture.send(...Array.from({ length: 600 }, (_, id) => order(id)));
    const wanted = { text: "A-42" };
    const first = await idsFor(fixture, wanted);
    expect(fixture.takeRead()).toBe(600);
    await fixture.send(order(427), order(1_000));
    expect(await idsFor(fixture, wanted)).toEqual([...first, "order-427"]);
    // The eleven of before, and the two that arrived.
    expect(fixture.takeRead()).toBe(13);
    expect((await search(fixture, { text: "nothing" })).at(-1)).toMatchObject({
      remembered: 602,
      scanned: 602,
    });
    expect(fixture.takeRead()).toBe(0);
    expect(await idsFor(fixture, { ...wanted, again: "true" })).toHaveLength(12);
    expect(fixture.takeRead()).toBe(602);
  });

  it.each([
    { text: "/^a-1[0-3]$/" },
    { path: "$.lines[0].sku", value: "a-11" },
    { path: "$.id", value: "12" },
    { property: "messageId", propertyValue: "der-13" },
    { property: "sequenceNumber", propertyValue: "3" },
    { property: "state", propertyValue: "active" },
    { reason: "truncated" },
    { reason: "/^trunc/" },
  ])("finds what the first one found: %o", async (criteria) => {
    await using fixture = await openExplorer();
    await fixture.send(...Array.from({ length: 14 }, (_, id) => order(id)), garbage);
    const first = await idsFor(fixture, criteria);
    expect(first.length).toBeGreaterThan(0);
    expect(await idsFor(fixture, criteria)).toEqual(first);
  });

  it("does not find what has left, nor takes a new queue of the same name for the old one", async () => {
    await using fixture = await openExplorer();
    await fixture.send(...Array.from({ length: 20 }, (_, id) => order(id)));
    expect(await idsFor(fixture, { text: "a-1" })).toHaveLength(11);
    await fixture.deadLetter(11);
    expect(await idsFor(fixture, { text: "a-1", entity: "orders" })).toHaveLength(9);
    await fixture.broker.deleteEntity("orders");
    await fixture.broker.createQueue("orders");
    fixture.clock.advance(1_000);
    await fixture.send(...Array.from({ length: 20 }, (_, id) => order(id + 100)));
    expect(await idsFor(fixture, { text: "a-119", entity: "orders" })).toEqual(["order-119"]);
  });

  it("covers each partition, whose numbers grow on their own", async () => {
    await using fixture = await openCounted();
    await fixture.broker.deleteEntity("orders");
    await fixture.broker.createQueue("orders", { enablePartitioning: true });
    const send = async (count: number, from: number) => {
      for (let id = from; id < from + count; id++)
        await fixture.send(order(id, { partitionKey: `key-${id % 5}` }));
    };
    await send(50, 0);
    expect(await idsFor(fixture, { text: "order-" })).toHaveLength(50);
    await send(10, 100);
    fixture.takeRead();
    expect((await idsFor(fixture, { text: "/^order-1\\d\\d$/" })).length).toBe(10);
    expect(fixture.takeRead()).toBe(10);
  });
});

describe("a conversation", () => {
  it("is followed beyond the first 50,000 messages of a queue", async () => {
    await using fixture = await openExplorer();
    const filler = Array.from({ length: 1_000 }, (_, id) => ({
      body: Uint8Array.of(0x31),
      messageId: `f-${id}`,
    }));
    await fixture.send(order(1, { messageId: "question" }));
    for (let sent = 0; sent < 51; sent++) await fixture.send(...filler);
    await fixture.send(order(2, { messageId: "answer", correlationId: "question" }));
    const end = (await fixture.get("/api/conversation?id=answer")).lines().at(-1);
    expect(end).toMatchObject({
      kind: "done",
      isComplete: true,
      scanned: 51_002,
      messages: [{ row: { messageId: "question" } }, { row: { messageId: "answer" } }],
    });
  });
});

async function search(fixture: Pick<Fixture, "get">, criteria: object): Promise<SearchEvent[]> {
  const query = new URLSearchParams({ ...criteria });
  return (await fixture.get(`/api/search?${query}`)).lines<SearchEvent>();
}

async function idsFor(fixture: Pick<Fixture, "get">, criteria: object): Promise<(string | undefined)[]> {
  const events = await search(fixture, criteria);
  return events.flatMap((event) => (event.kind === "hit" ? [event.row.messageId] : []));
}

/** An explorer whose chain counts the bodies that it reads. */
async function openCounted() {
  const serializer = jsonSerializer();
  let read = 0;
  const pipeline = createPipeline({
    serializer: {
      ...serializer,
      deserialize(...call) {
        read++;
        return serializer.deserialize(...call);
      },
    },
  });
  const fixture = await openExplorer({ pipeline });
  return Object.assign(fixture, {
    takeRead() {
      const before = read;
      read = 0;
      return before;
    },
  });
}
