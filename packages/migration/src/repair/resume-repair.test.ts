import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { failing, openDeadLetters, order } from "./dead-letters.test-support.js";
import { createMemoryReceipts, openReceiptFile, type ReceiptLog } from "./receipt-log.js";
import { interruptedRepair } from "./repair-history.js";
import type { RepairOptions } from "./repair-options.js";

const from = { queue: "orders" };
const ofOthers = (id: number) => ({ ...order(id), subject: "invoice" });

/** A repair of five a batch that is stopped after the first. */
async function stopped(
  fixture: Awaited<ReturnType<typeof openDeadLetters>>,
  options: Partial<RepairOptions> & { readonly receipts: ReceiptLog },
): Promise<void> {
  const controller = new AbortController();
  const run = fixture.repair({
    maxPerSecond: 1,
    abortSignal: controller.signal,
    onProgress: () => setImmediate(() => controller.abort()),
    ...options,
  });
  await expect(run).rejects.toMatchObject({ code: "aborted" });
}

describe("an interrupted repair", () => {
  it("is in its receipts with its plan, and continues with it: the same messages, body, rate and target", async () => {
    const messages = [
      ...Array.from({ length: 8 }, (_, id) => order(id)),
      ...Array.from({ length: 20 }, (_, id) => ofOthers(100 + id)),
    ];
    await using fixture = await openDeadLetters(messages);
    await fixture.broker.createQueue("repaired");
    const receipts = createMemoryReceipts();
    const select = { messageType: ["order-placed"] };
    const options = { select, body: "transcode", to: { queue: "repaired" }, maxPerSecond: 1 } as const;
    await stopped(fixture, { ...options, receipts });

    const interrupted = await interruptedRepair(receipts, from);
    expect(interrupted).toMatchObject({
      plan: { select, body: "transcode", to: { queue: "repaired" }, maxPerSecond: 1, limit: undefined },
      sent: 5,
      maybeSent: 0,
    });
    expect(await fixture.repair({ ...interrupted?.plan, receipts })).toMatchObject({ resubmitted: 3 });
    const repaired = fixture.transport.createReceiver({ queue: "repaired" }, "peekLock");
    const sent = await repaired.peek({ maxMessages: 100 });
    expect(sent.map(({ subject, contentType }) => `${subject} ${contentType}`)).toEqual(
      Array.from({ length: 8 }, () => "order-placed application/vnd.msgpack"),
    );
    expect(await fixture.dead()).toHaveLength(20);
    expect(await interruptedRepair(receipts, from)).toBeUndefined();
  });

  it("refuses to continue with another plan, and says in what it differs", async () => {
    await using fixture = await openDeadLetters(Array.from({ length: 8 }, (_, id) => order(id)));
    const receipts = createMemoryReceipts();
    await stopped(fixture, { receipts, select: { messageType: ["order-placed"] } });
    await expect(fixture.repair({ receipts, body: "transcode" })).rejects.toThrow(
      /^\[configuration-invalid\] .* with another plan: body, select, maxPerSecond\. /,
    );
    expect(await fixture.dead()).toHaveLength(3);
    expect(await fixture.repair({ receipts, interrupted: "replace" })).toMatchObject({ resubmitted: 3 });
  });

  it("keeps its limit over all interruptions", async () => {
    await using fixture = await openDeadLetters(Array.from({ length: 20 }, (_, id) => order(id)));
    const receipts = createMemoryReceipts();
    await stopped(fixture, { receipts, limit: 7 });
    expect(await fixture.repair({ receipts, limit: 7, maxPerSecond: 1 })).toMatchObject({ resubmitted: 2 });
    expect(await fixture.dead()).toHaveLength(13);
  });

  it("removes what it had sent, and sends no more, if the limit was reached", async () => {
    await using fixture = await openDeadLetters([order(1), order(2), order(3)]);
    const receipts = createMemoryReceipts();
    const killed = { receipts, limit: 1, transport: failing(fixture.transport, "before-complete") };
    await expect(fixture.repair(killed)).rejects.toThrow("killed");
    fixture.clock.advance(60_000);
    expect(await fixture.repair({ receipts, limit: 1 })).toMatchObject({ resubmitted: 0, resumed: 1 });
    expect([await fixture.waiting(), await fixture.dead()]).toMatchObject([{ length: 1 }, { length: 2 }]);
  });

  it("does not send again what it sent before the interruption and what failed again", async () => {
    await using fixture = await openDeadLetters(Array.from({ length: 8 }, (_, id) => order(id)));
    const receipts = createMemoryReceipts();
    await stopped(fixture, { receipts });
    for (let n = 0; n < 5; n++) await fixture.deadLetter(from);
    const result = await fixture.repair({ receipts, maxPerSecond: 1 });
    expect(result).toMatchObject({ resubmitted: 3, skipped: { "failed-again": 5 } });
  });

  it("reports what the locks of the killed process still hold, and until when", async () => {
    await using fixture = await openDeadLetters([order(1), order(2)]);
    const receipts = createMemoryReceipts();
    const killed = { receipts, transport: failing(fixture.transport, "before-send") };
    await expect(fixture.repair(killed)).rejects.toThrow("killed");
    const inFiveMinutes = new Date(fixture.clock.now() + 300_000);

    const { locked, resubmitted } = await fixture.repair({ receipts });
    expect(resubmitted).toBe(0);
    expect(locked).toEqual({ count: 2, examples: [1n, 2n], until: inFiveMinutes });
    expect(await interruptedRepair(receipts, from)).toMatchObject({ sent: 0, maybeSent: 2 });

    fixture.clock.advance(60_000);
    expect(await fixture.repair({ receipts })).toMatchObject({ resubmitted: 2, locked: undefined });
    expect(await interruptedRepair(receipts, from)).toBeUndefined();
  });

  it("has to be given the function that selects its messages, which receipts cannot hold", async () => {
    await using fixture = await openDeadLetters(Array.from({ length: 8 }, (_, id) => order(id)));
    const receipts = createMemoryReceipts();
    const select: RepairOptions["select"] = ({ message }) => message.subject === "order-placed";
    await stopped(fixture, { receipts, select });
    const interrupted = await interruptedRepair(receipts, from);
    expect(interrupted).toMatchObject({ isSelectedByFunction: true, plan: { select: undefined } });
    const continued = { ...interrupted?.plan, receipts };
    await expect(fixture.repair(continued)).rejects.toThrow("with another plan: select.");
    expect(await fixture.repair({ ...continued, select })).toMatchObject({ resubmitted: 3 });
  });
});

describe("a file of receipts", () => {
  it("keeps every member of a plan", async () => {
    const directory = await mkdtemp(join(tmpdir(), "waybill-receipts-"));
    const path = join(directory, "orders.receipts");
    await using fixture = await openDeadLetters(Array.from({ length: 8 }, (_, id) => order(id)));
    const select = {
      reason: ["Test"],
      messageType: ["order-placed"],
      format: ["json"],
      number: Array.from({ length: 8 }, (_, index) => BigInt(index + 1)),
      kind: {
        deadLetterReason: "Test",
        mediaType: "application/json",
        messageType: "order-placed",
        messageVersion: undefined,
      },
    };
    const receipts = await openReceiptFile(path);
    await stopped(fixture, { receipts, select, limit: 6, maxResubmits: 2, targetDetectsDuplicates: true });
    await receipts.close();

    const again = await openReceiptFile(path);
    const interrupted = await interruptedRepair(again, from);
    expect(interrupted?.plan).toEqual({
      from: { queue: "orders", subQueue: "deadLetter" },
      to: { queue: "orders" },
      body: "as-is",
      select,
      includeUndeserializable: false,
      targetDetectsDuplicates: true,
      maxResubmits: 2,
      maxPerSecond: 1,
      limit: 6,
    });
    expect(await fixture.repair({ ...interrupted?.plan, receipts: again })).toMatchObject({ resubmitted: 1 });
    await again.close();
    await rm(directory, { recursive: true });
  });

  it("has nothing to resume once its repair has come to its end, also when it is opened again", async () => {
    const directory = await mkdtemp(join(tmpdir(), "waybill-receipts-"));
    const path = join(directory, "orders.receipts");
    await using fixture = await openDeadLetters([order(1)]);
    const receipts = await openReceiptFile(path);
    await fixture.repair({ receipts });
    await receipts.close();
    const again = await openReceiptFile(path);
    expect(await interruptedRepair(again, from)).toBeUndefined();
    const steps: string[] = [];
    for await (const { step } of again.read()) steps.push(step);
    expect(steps).toEqual(["plan", "sending", "sent", "removed", "ended"]);
    await again.close();
    await rm(directory, { recursive: true });
  });

  it("is refused if its plan cannot be read: without its selection, a repair would reach more", async () => {
    const directory = await mkdtemp(join(tmpdir(), "waybill-receipts-"));
    const path = join(directory, "orders.receipts");
    await using fixture = await openDeadLetters([order(1)]);
    const receipts = await openReceiptFile(path);
    await fixture.repair({ receipts, select: { messageType: ["order-placed"] } });
    await receipts.close();
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replace('["order-placed"]', '"order-placed"'));
    const damaged = await openReceiptFile(path);
    await expect(interruptedRepair(damaged, from)).rejects.toThrow("line 1 of");
    await damaged.close();
    await rm(directory, { recursive: true });
  });
});
