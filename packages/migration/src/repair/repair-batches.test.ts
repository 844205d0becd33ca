import { type EncodedMessage, type Transport, WaybillError } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { replaced } from "../fixture.test-support.js";
import { openDeadLetters, order } from "./dead-letters.test-support.js";
import { createMemoryReceipts, type ReceiptEntry, type ReceiptLog } from "./receipt-log.js";
import type { RepairOptions } from "./repair-options.js";

type Send = (messages: readonly EncodedMessage[]) => Promise<void>;

/** A transport whose sends go through a function, and whose removals do if one is given. */
function through(
  transport: Transport,
  send: (messages: readonly EncodedMessage[], next: Send) => Promise<void>,
  complete?: (next: () => Promise<void>) => Promise<void>,
): Transport {
  return replaced(transport, {
    createSender(entity) {
      const sender = transport.createSender(entity);
      return replaced(sender, { send: (messages) => send(messages, (some) => sender.send(some)) });
    },
    createReceiver(address, mode) {
      const receiver = transport.createReceiver(address, mode);
      if (complete === undefined) return receiver;
      return replaced(receiver, { complete: (lock) => complete(() => receiver.complete(lock)) });
    },
  });
}

/** A dead letter that is sent with a body of this many bytes. */
function ofBytes(length: number, id = 1): EncodedMessage {
  return { ...order(id), body: new Uint8Array(length).fill(0x20) };
}

/** How many messages a repair sends at once. */
async function batchesOf(messages: readonly EncodedMessage[], more: Partial<RepairOptions> = {}) {
  await using fixture = await openDeadLetters(messages);
  const batches: number[] = [];
  const transport = through(fixture.transport, (some, next) => {
    batches.push(some.length);
    return next(some);
  });
  const result = await fixture.repair({ transport, includeUndeserializable: true, ...more });
  expect(result.resubmitted).toBe(messages.length);
  return batches;
}

async function entriesOf(receipts: ReceiptLog): Promise<ReceiptEntry[]> {
  const entries: ReceiptEntry[] = [];
  for await (const entry of receipts.read()) entries.push(entry);
  return entries;
}

describe("a repair sends in batches", () => {
  it("of 192 KB, with a KB for the properties of each message", async () => {
    const seven = (bytes: number) => Array.from({ length: 7 }, (_, id) => ofBytes(bytes, id));
    expect(await batchesOf(seven(63 * 1024))).toEqual([3, 3, 1]);
    expect(await batchesOf(seven(63 * 1024 + 1))).toEqual([2, 2, 2, 1]);
  });

  it("of one message if it is larger, or an AMQP value, whose size is not known", async () => {
    expect(await batchesOf([ofBytes(200_000), ofBytes(200_000)])).toEqual([1, 1]);
    const value: EncodedMessage = { body: { section: "value", value: "text" }, messageId: "value" };
    expect(await batchesOf([value, value])).toEqual([1, 1]);
  });

  it("of 100 messages, or of what may be sent in five seconds", async () => {
    const orders = Array.from({ length: 101 }, (_, id) => order(id));
    expect(await batchesOf(orders)).toEqual([100, 1]);
    const withoutTime = { maxPerSecond: 1, limit: 5 };
    expect(await batchesOf(orders.slice(0, 5), withoutTime)).toEqual([5]);
  });

  it("and tells how far it is after each", async () => {
    await using fixture = await openDeadLetters(Array.from({ length: 101 }, (_, id) => order(id)));
    const progress: number[] = [];
    await fixture.repair({ onProgress: ({ resubmitted }) => progress.push(resubmitted) });
    expect(progress).toEqual([100, 101]);
  });
});

describe("a batch that is too large for its target", () => {
  /** The broker of a target with a lower limit. */
  const upTo =
    (bytes: number) =>
    (messages: readonly EncodedMessage[], next: Send): Promise<void> => {
      const total = messages.reduce((sum, { body }) => sum + (body as Uint8Array).length, 0);
      if (total <= bytes) return next(messages);
      return Promise.reject(new WaybillError("message-too-large", "Too large for the entity."));
    };

  it("is sent one by one, and only the messages that are too large themselves stay", async () => {
    await using fixture = await openDeadLetters([ofBytes(600, 1), ofBytes(1_100, 2), ofBytes(600, 3)]);
    const transport = through(fixture.transport, upTo(1_000));
    const result = await fixture.repair({ transport, includeUndeserializable: true });
    expect(result).toEqual({
      resubmitted: 2,
      resumed: 0,
      skipped: { "too-large": 1 },
      possibleDuplicates: [],
      locked: undefined,
    });
    expect((await fixture.dead()).map(({ messageId }) => messageId)).toEqual(["order-2"]);
    expect((await fixture.waiting()).map(({ messageId }) => messageId)).toEqual(["order-1", "order-3"]);
  });

  it.each([new WaybillError("quota-exceeded", "The queue is full."), new Error("message-too-large")])(
    "is nothing that another error may mean: %s",
    async (error) => {
      await using fixture = await openDeadLetters([order(1), order(2)]);
      let sends = 0;
      const transport = through(fixture.transport, () => {
        sends++;
        return Promise.reject(error);
      });
      await expect(fixture.repair({ transport })).rejects.toBe(error);
      expect(sends).toBe(1);
      expect(await fixture.dead()).toHaveLength(2);
    },
  );
});

describe("a lock that is lost before its message is removed", () => {
  it("leaves the message to the next run, which only removes it", async () => {
    await using fixture = await openDeadLetters([order(1), order(2)]);
    const receipts = createMemoryReceipts();
    const lost = new WaybillError("message-lock-lost", "The lock has expired.");
    let removals = 0;
    const transport = through(
      fixture.transport,
      (messages, next) => next(messages),
      (next) => (++removals === 1 ? Promise.reject(lost) : next()),
    );
    const until = fixture.clock.now() + 60_000;
    expect(await fixture.repair({ receipts, transport })).toMatchObject({
      resubmitted: 2,
      locked: { count: 1, examples: [1n], until: new Date(until) },
    });
    const steps = (await entriesOf(receipts)).map((entry) =>
      "sequenceNumber" in entry ? `${entry.step} ${entry.sequenceNumber}` : entry.step,
    );
    expect(steps).toEqual(["plan", "sending 1", "sending 2", "sent 1", "sent 2", "removed 2"]);
    fixture.clock.advance(60_000);
    expect(await fixture.repair({ receipts })).toEqual({
      resubmitted: 0,
      resumed: 1,
      skipped: {},
      possibleDuplicates: [],
      locked: undefined,
    });
    expect([await fixture.waiting(), await fixture.dead()]).toMatchObject([{ length: 2 }, { length: 0 }]);
  });

  it.each([new WaybillError("connection-lost", "The connection was lost."), new Error("message-lock-lost")])(
    "is nothing that another error may mean: %s",
    async (error) => {
      await using fixture = await openDeadLetters([order(1)]);
      const transport = through(
        fixture.transport,
        (messages, next) => next(messages),
        () => Promise.reject(error),
      );
      await expect(fixture.repair({ transport })).rejects.toBe(error);
    },
  );
});

describe("the receipts of a repair", () => {
  it("say what was begun, sent and removed, with the id of each message that was sent", async () => {
    const withBytes = { ...order(2), messageId: Uint8Array.of(0xca, 0xfe) };
    await using fixture = await openDeadLetters([order(1), withBytes]);
    const receipts = createMemoryReceipts();
    await fixture.repair({ receipts });
    const at = fixture.now().toISOString();
    const from = "orders/$DeadLetterQueue";
    const dead = "2026-11-05T12:00:00.000Z";
    const of = (step: string, sequenceNumber: string, messageId: string) => ({
      ...{ step, from, sequenceNumber, enqueuedAt: dead, messageId, to: "orders", at },
    });
    const all = (step: string) => [of(step, "1", "order-1"), of(step, "2", "cafe")];
    expect(await entriesOf(receipts)).toEqual([
      {
        ...{ step: "plan", from, isSelectedByFunction: false, at },
        plan: {
          from: { queue: "orders", subQueue: "deadLetter" },
          to: { queue: "orders" },
          body: "as-is",
          select: undefined,
          includeUndeserializable: false,
          targetDetectsDuplicates: false,
          maxResubmits: 3,
          maxPerSecond: undefined,
          limit: undefined,
        },
      },
      ...all("sending"),
      ...all("sent"),
      ...all("removed"),
      { step: "ended", from, at },
    ]);
  });
});

describe("an abort while a batch waits to be sent", () => {
  it("removes what was sent, releases the locks of the rest, and reports the progress", async () => {
    const messages = [ofBytes(150_000, 1), ofBytes(150_000, 2)];
    await using fixture = await openDeadLetters(messages);
    const receipts = createMemoryReceipts();
    const controller = new AbortController();
    const transport = through(fixture.transport, async (some, next) => {
      await next(some);
      setImmediate(() => controller.abort());
    });
    const progress: number[] = [];
    const run = fixture.repair({
      ...{ receipts, transport, includeUndeserializable: true, maxPerSecond: 1 },
      abortSignal: controller.signal,
      onProgress: ({ resubmitted }) => progress.push(resubmitted),
    });
    await expect(run).rejects.toMatchObject({ code: "aborted" });
    expect(progress).toEqual([1]);
    expect((await fixture.dead()).map(({ messageId }) => messageId)).toEqual(["order-2"]);
    const again = { receipts, includeUndeserializable: true, maxPerSecond: 1 };
    expect(await fixture.repair(again)).toMatchObject({ resubmitted: 1, resumed: 0 });
    expect(await fixture.dead()).toEqual([]);
  });
});

it("receipts hold the id of each message as a text", async () => {
  const ids: readonly EncodedMessage["messageId"][] = ["order-1", 7n, Uint8Array.of(0xab)];
  await using fixture = await openDeadLetters(ids.map((messageId, id) => ({ ...order(id), messageId })));
  const receipts = createMemoryReceipts();
  await fixture.repair({ receipts });
  const sending = (await entriesOf(receipts)).filter(({ step }) => step === "sending");
  expect(sending).toMatchObject([{ messageId: "order-1" }, { messageId: "7" }, { messageId: "ab" }]);
});
