import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ordersPipeline } from "../test/orders.js";
import { queueBeaconStore } from "./capability/queue-beacon-store.js";
import { readerCapability } from "./capability/reader-capability.js";
import { formatCensus, parseCensus } from "./census/census-text.js";
import { takeCensus } from "./census/take-census.js";
import { contractOf } from "./contract/model/contract-of.js";
import { formatContract, parseContract } from "./contract/model/contract-text.js";
import { damagedTexts, unnoticed } from "./damaged-json.test-support.js";
import { openFixture } from "./fixture.test-support.js";
import { queueReadStore } from "./reads/queue-read-store.js";
import { openReceiptFile } from "./repair/receipt-log.js";
import { formatPlan } from "./repair/repair-plan.js";

/** Whether a function returns without an error. */
function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

describe("a file whose members have other types is refused:", () => {
  it("a contract, except in what a serializer reads itself", () => {
    const text = formatContract(
      contractOf(ordersPipeline(), { service: "orders", sends: ["orders"], receives: ["payments"] }),
    );
    const accepted = unnoticed(text, (damaged) => succeeds(() => parseContract(damaged, "orders.json")));
    const isOfSerializer = /\/options|\/needsSchema|\/(?:schemas|body)\/.*(?:schema|fingerprint)/;
    expect(accepted.filter((pointer) => !isOfSerializer.test(pointer))).toEqual([]);
  });

  it("a census", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    const pipeline = ordersPipeline();
    const order = pipeline.serialize({ body: { id: 1 }, contentType: "application/json" });
    await fixture.send("orders", { ...(await order), timeToLive: 60_000 });
    await fixture.schedule("orders", { ...(await order), timeToLive: 60_000 }, 60_000);
    const entities = ["orders"];
    const census = await takeCensus({ ...fixture.source, pipeline, entities });
    const text = formatCensus({
      ...census,
      hidden: [{ entityPath: "orders", kind: "in-transfer", count: 1 }],
    });
    for (const other of ["5", "null", "[]", "{}"]) expect(parseCensus(other)).toBeUndefined();
    const accepted = unnoticed(text, (damaged) => parseCensus(damaged) !== undefined);
    // Sequence numbers may be numbers.
    expect(accepted.filter((pointer) => !pointer.endsWith("/examples/0"))).toEqual([]);
  });

  it("receipts of a repair", async () => {
    const directory = await mkdtemp(join(tmpdir(), "waybill-damaged-"));
    const path = join(directory, "orders.receipts");
    const isReadable = async (line: string) => {
      await writeFile(path, `${line}\n`);
      const receipts = await openReceiptFile(path);
      try {
        for await (const _ of receipts.read());
        return true;
      } catch {
        return false;
      } finally {
        await receipts.close();
      }
    };
    const at = "2026-11-05T12:00:00.000Z";
    const from = "orders/$DeadLetterQueue";
    const sent = {
      step: "sent",
      from,
      sequenceNumber: "7",
      enqueuedAt: at,
      messageId: "m",
      to: "orders",
      at,
    };
    const select = {
      reason: ["Test"],
      messageType: ["order-placed"],
      messageVersion: [1],
      format: ["json"],
      number: [7n],
      kind: { deadLetterReason: "Test", mediaType: "application/json", messageType: "a", messageVersion: 1 },
    };
    const plan = {
      from: { queue: "orders", subQueue: "deadLetter" },
      to: { queue: "orders" },
      body: "as-is",
      select,
      includeUndeserializable: false,
      targetDetectsDuplicates: true,
      maxResubmits: 2,
      maxPerSecond: 5,
      limit: 6,
    } as const;
    const accepted: string[] = [];
    for (const line of [
      sent,
      { step: "ended", from, at },
      { step: "plan", from, plan: formatPlan(plan), isSelectedByFunction: false, at },
    ]) {
      const text = JSON.stringify(line);
      expect(await isReadable(text)).toBe(true);
      for (const [pointer, damaged] of damagedTexts(text))
        if (await isReadable(damaged)) accepted.push(`${line.step}${pointer}`);
    }
    // What is no longer said counts as not said; the others are only shown.
    expect(accepted).toEqual([
      "sent/enqueuedAt",
      "sent/messageId",
      "plan/plan/includeUndeserializable",
      "plan/plan/targetDetectsDuplicates",
      "plan/isSelectedByFunction",
    ]);
    await rm(directory, { recursive: true });
  });
});

describe("a message that is not what a consumer has recorded", () => {
  it("is no beacon", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("capabilities");
    const store = queueBeaconStore(fixture.transport, "capabilities");
    const pipeline = ordersPipeline();
    await store.announce({
      entities: ["orders"],
      reader: "billing",
      instance: "host-1",
      isWithdrawn: false,
      announcedAt: fixture.now(),
      expiresAt: new Date(fixture.clock.now() + 60_000),
      capability: readerCapability(pipeline),
    });
    expect(await store.list()).toHaveLength(1);
    const sent = fixture.everything()[0]!;
    const text = Buffer.from(sent.body as Uint8Array).toString();
    const accepted: string[] = [];
    for (const [pointer, damaged] of damagedTexts(text)) {
      await fixture.complete({ queue: "capabilities" });
      await fixture.send("capabilities", { ...sent, body: Buffer.from(damaged) });
      if ((await store.list()).length > 0) accepted.push(pointer);
    }
    // The digests of schemas, which are compared with those of the writer.
    expect(accepted.filter((pointer) => !/\/schemas\/\w+$/.test(pointer))).toEqual([]);
  });

  it("is no read record", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("waybill");
    const store = queueReadStore(fixture.transport, "waybill");
    const at = fixture.now();
    await store.record({
      reader: "billing",
      instance: "host-1",
      since: at,
      recordedAt: at,
      reads: [
        {
          serializer: "json",
          declared: "json",
          messageType: "order-placed",
          messageVersion: 1,
          upcastPath: [1, 2],
          count: 3,
          lastReadAt: at,
          newestSentAt: at,
        },
      ],
    });
    expect(await store.list()).toHaveLength(1);
    const sent = fixture.everything()[0]!;
    const text = Buffer.from(sent.body as Uint8Array).toString();
    const accepted: string[] = [];
    for (const [pointer, damaged] of damagedTexts(text)) {
      await fixture.complete({ queue: "waybill" });
      await fixture.send("waybill", { ...sent, body: Buffer.from(damaged) });
      if (
        await store.list().then(
          () => true,
          () => false,
        )
      )
        accepted.push(pointer);
    }
    expect(accepted).toEqual([]);
  });
});
