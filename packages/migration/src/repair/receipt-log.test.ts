import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { failing, openDeadLetters, order } from "./dead-letters.test-support.js";
import { createMemoryReceipts, openReceiptFile, type Receipt, type ReceiptEntry } from "./receipt-log.js";
import { interruptedRepair } from "./repair-history.js";
import { parsePlan, type RepairPlan } from "./repair-plan.js";

const from = "orders/$DeadLetterQueue";
const at = "2026-11-05T12:00:00.000Z";
const ended = { step: "ended", from, at } as const;
const line = `${JSON.stringify(ended)}\n`;

/** A directory for one file. */
async function openDirectory() {
  const directory = await mkdtemp(join(tmpdir(), "waybill-receipts-"));
  return {
    path: join(directory, "orders.receipts"),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}

async function allOf(receipts: { read(): AsyncIterable<ReceiptEntry> }): Promise<ReceiptEntry[]> {
  const entries: ReceiptEntry[] = [];
  for await (const entry of receipts.read()) entries.push(entry);
  return entries;
}

describe("a file of receipts", () => {
  it("is created for its owner alone, and holds what was appended", async () => {
    await using directory = await openDirectory();
    const receipts = await openReceiptFile(directory.path);
    expect((await stat(directory.path)).mode & 0o777).toBe(process.platform === "win32" ? 0o666 : 0o600);
    const sent: Receipt = {
      ...{ step: "sent", from, sequenceNumber: "1", enqueuedAt: at, messageId: "order-1", to: "orders", at },
    };
    await receipts.append([sent, ended]);
    expect(await allOf(receipts)).toEqual([sent, ended]);
    await receipts.close();
    await expect(receipts.append([ended])).rejects.toThrow();
  });

  it.each([
    ["a receipt without its end", line, '{"step":"sent","from":"ord'],
    ["the first characters of a receipt", line, '{"s'],
    ["one character", line, "{"],
    ["nothing", line, ""],
    ["all of it", "", '{"step":"sent","from":"ord'],
    ["a batch larger than is read at once", `${line}${line}`, `{"step":"${"x".repeat(200_000)}`],
    ["a batch that begins where a read does", "\n", `{"step":"${"x".repeat(65_536 - 9)}`],
    ["a batch of exactly two reads", line, `{"step":"${"x".repeat(131_072 - 9 - line.length)}`],
  ])("loses its last line if a crash cut it short: %s", async (_, kept, torn) => {
    await using directory = await openDirectory();
    await writeFile(directory.path, kept + torn);
    const receipts = await openReceiptFile(directory.path);
    expect(await readFile(directory.path, "utf8")).toBe(kept);
    await receipts.append([ended]);
    expect(await readFile(directory.path, "utf8")).toBe(kept + line);
    await receipts.close();
  });

  it.each([
    ["the last line", `${line}{"stop":1`],
    ["the last line", "{x"],
    ["line 2", `${line}{"step":"ended"}\n`],
  ])("is refused if %s is something else", async (which, text) => {
    await using directory = await openDirectory();
    await writeFile(directory.path, text);
    const opened = openReceiptFile(directory.path).then(async (receipts) => {
      await allOf(receipts).finally(() => receipts.close());
    });
    await expect(opened).rejects.toMatchObject({
      code: "configuration-invalid",
      text: `${which} of ${directory.path} is not a receipt of a repair.`,
    });
    expect(await readFile(directory.path, "utf8")).toBe(text);
  });
});

const count = fc.option(fc.integer({ min: 1 }), { nil: undefined });
const name = fc.string({ minLength: 1 });
const names = fc.option(fc.array(name), { nil: undefined });
const entity = fc.oneof(fc.record({ queue: name }), fc.record({ topic: name, subscription: name }));
const subQueue = fc.constantFrom("deadLetter" as const, "transferDeadLetter" as const);
const version = fc.option(fc.integer(), { nil: undefined });
const kind = fc.record({
  deadLetterReason: fc.option(name, { nil: undefined }),
  mediaType: name,
  messageType: fc.option(name, { nil: undefined }),
  messageVersion: version,
});
const criteria = fc.record({
  reason: names,
  messageType: names,
  messageVersion: fc.option(fc.array(fc.integer()), { nil: undefined }),
  format: names,
  number: fc.option(fc.array(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })), { nil: undefined }),
  kind: fc.option(kind, { nil: undefined }),
});
const plans: fc.Arbitrary<RepairPlan> = fc.record({
  from: fc.tuple(entity, subQueue).map(([whole, part]) => ({ ...whole, subQueue: part })),
  to: fc.oneof(fc.record({ topic: name }), entity),
  body: fc.constantFrom("as-is" as const, "transcode" as const),
  select: fc.option(criteria, { nil: undefined }),
  includeUndeserializable: fc.boolean(),
  targetDetectsDuplicates: fc.boolean(),
  maxResubmits: fc.integer({ min: 1 }),
  maxPerSecond: count,
  limit: count,
});

describe("the plan in a file of receipts", () => {
  it("is the plan that was written, whatever it is", async () => {
    await using directory = await openDirectory();
    const all = fc.sample(plans, 200);
    const receipts = await openReceiptFile(directory.path);
    const entries = all.map(
      (plan) => ({ step: "plan", from, plan, isSelectedByFunction: true, at }) as const,
    );
    await receipts.append(entries);
    expect(await allOf(receipts)).toEqual(entries);
    await receipts.close();
  });

  const written = {
    from: { queue: "orders", subQueue: "deadLetter" },
    to: { topic: "events", subscription: "billing" },
    body: "as-is",
    select: { reason: ["Test"], number: ["7"] },
    maxResubmits: 3,
    maxPerSecond: 5,
  };

  it.each<[string, object]>([
    ["no dead-letter queue", { from: { queue: "orders" } }],
    ["a topic without its subscription", { from: { topic: "events", subQueue: "deadLetter" } }],
    ["a subscription without its topic", { from: { subscription: "billing", subQueue: "deadLetter" } }],
    ["no target", { to: { subscription: "billing" } }],
    ["another body", { body: "rewritten" }],
    ["no count", { maxResubmits: 0 }],
    ["a count in words", { maxResubmits: "3" }],
    ["a rate in words", { maxPerSecond: "5" }],
    ["no limit", { limit: 0 }],
    ["a text as selection", { select: "all" }],
    ["no list of reasons", { select: { reason: "Test" } }],
    ["versions in words", { select: { messageVersion: ["1"] } }],
    ["numbers that are no sequence numbers", { select: { number: ["-7"] } }],
    ["a kind without its media type", { select: { kind: {} } }],
    ["a kind whose version is a text", { select: { kind: { mediaType: "a/b", messageVersion: "1" } } }],
    ["a kind whose reason is a number", { select: { kind: { mediaType: "a/b", deadLetterReason: 1 } } }],
  ])("is refused with %s", (_, damage) => {
    expect(parsePlan(written)).toMatchObject({
      to: { topic: "events", subscription: "billing" },
      limit: undefined,
    });
    expect(parsePlan({ ...written, ...damage })).toBeUndefined();
  });
});

describe("what receipts say of an interrupted repair", () => {
  it("is its plan, when it began and wrote last, and what it sent, maybe sent and did not remove", async () => {
    await using fixture = await openDeadLetters([order(1), order(2), order(3)]);
    const receipts = createMemoryReceipts();
    const begun = fixture.clock.now();
    const killed = (when: Parameters<typeof failing>[1]) =>
      fixture.repair({ receipts, maxPerSecond: 0.3, transport: failing(fixture.transport, when) });
    await expect(killed("before-complete")).rejects.toThrow("killed");
    fixture.clock.advance(60_000);
    const again = fixture.repair({
      receipts,
      maxPerSecond: 0.3,
      transport: failing(fixture.transport, "before-send"),
    });
    await expect(again).rejects.toThrow("killed");
    const interrupted = await interruptedRepair(receipts, { queue: "ORDERS" });
    expect(interrupted).toEqual({
      plan: expect.objectContaining({ maxPerSecond: 0.3 }),
      isSelectedByFunction: false,
      startedAt: new Date(begun),
      lastReceiptAt: new Date(begun + 60_000),
      sent: 1,
      maybeSent: 1,
      sentNotRemoved: 0,
    });
    expect(await interruptedRepair(receipts, { queue: "invoices" })).toBeUndefined();
  });

  it("counts what was sent and not removed", async () => {
    await using fixture = await openDeadLetters([order(1), order(2)]);
    const receipts = createMemoryReceipts();
    const run = fixture.repair({ receipts, transport: failing(fixture.transport, "before-complete") });
    await expect(run).rejects.toThrow("killed");
    expect(await interruptedRepair(receipts, { queue: "orders" })).toMatchObject({
      ...{ sent: 2, maybeSent: 0, sentNotRemoved: 2 },
    });
  });

  it("includes what every earlier run may have sent twice", async () => {
    await using fixture = await openDeadLetters([order(1)]);
    const receipts = createMemoryReceipts();
    for (const _ of ["first", "second"]) {
      const transport = failing(fixture.transport, "after-send");
      await expect(fixture.repair({ receipts, transport })).rejects.toThrow("killed");
      fixture.clock.advance(60_000);
    }
    expect(await fixture.repair({ receipts })).toMatchObject({
      resubmitted: 1,
      possibleDuplicates: [1n, 1n],
    });
    expect(await fixture.waiting()).toHaveLength(3);
  });
});
