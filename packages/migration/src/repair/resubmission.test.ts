import { createPipeline, type EncodedMessage, WaybillError } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, expect, it } from "vitest";
import { replaced } from "../fixture.test-support.js";
import { openDeadLetters, order, pipeline } from "./dead-letters.test-support.js";
import { type RehearseRepairOptions, rehearseRepair } from "./rehearse-repair.js";
import { repairDeadLetters } from "./repair-dead-letters.js";
import { resubmitFilter } from "./resubmission.js";

/** What a repair would send for a dead letter. */
async function planned(message: EncodedMessage, more: Partial<RehearseRepairOptions> = {}) {
  await using fixture = await openDeadLetters([message]);
  const sent: (EncodedMessage | string)[] = [];
  await rehearseRepair({
    transport: fixture.transport,
    pipeline,
    from: { queue: "orders" },
    onRehearsed: (each) => sent.push(each.planned),
    ...more,
  });
  return sent[0];
}

const resubmitted = (count: unknown) =>
  ({ ...order(1), applicationProperties: { "waybill-resubmits": count } }) as EncodedMessage;

describe("the count of resubmissions", () => {
  it.each([
    [undefined, 1],
    [0, 1],
    [2, 3],
    [-5, 1],
    [1.5, 1],
    ["2", 1],
    [2n, 1],
  ])("of a message that says %o becomes %d", async (count, next) => {
    const message = count === undefined ? order(1) : resubmitted(count);
    const { applicationProperties } = (await planned(message)) as EncodedMessage;
    // No other property is added.
    expect(Object.entries(applicationProperties ?? {})).toEqual([["waybill-resubmits", next]]);
  });
});

describe("a message that is sent to one subscription", () => {
  it("names it, and no longer the one it was sent to before", async () => {
    const message = { ...order(1), applicationProperties: { "waybill-resubmit-to": "audit" } };
    const to = { topic: "events", subscription: "billing" };
    expect(await planned(message, { to })).toMatchObject({
      applicationProperties: { "waybill-resubmits": 1, "waybill-resubmit-to": "billing" },
    });
    const { applicationProperties } = (await planned(message)) as EncodedMessage;
    expect(applicationProperties).toEqual({ "waybill-resubmits": 1 });
  });

  it("passes the filter of that subscription and no other", () => {
    expect(resubmitFilter("billing")).toBe(
      `("waybill-resubmit-to" IS NULL OR "waybill-resubmit-to" = 'billing')`,
    );
    expect(resubmitFilter("o'hara", "quantity > 5 OR urgent = TRUE")).toBe(
      `("waybill-resubmit-to" IS NULL OR "waybill-resubmit-to" = 'o''hara') AND (quantity > 5 OR urgent = TRUE)`,
    );
  });
});

describe("the id of a message whose target detects duplicates", () => {
  const targetDetectsDuplicates = true;
  const idOf = async (message: EncodedMessage, more: Partial<RehearseRepairOptions> = {}) =>
    ((await planned(message, { targetDetectsDuplicates, ...more })) as EncodedMessage).messageId;

  it("says from where it comes, which one it is, when it came and how often it was sent again", async () => {
    expect(await idOf(order(1))).toBe("waybill-resubmit:orders/$deadletterqueue:1:1793880000000:1");
    expect(await idOf(resubmitted(2))).toBe("waybill-resubmit:orders/$deadletterqueue:1:1793880000000:3");
  });

  it("is at most 128 characters long, and keeps the end of a long name", async () => {
    await using fixture = await openDeadLetters([]);
    const queue = `Q${"q".repeat(199)}`;
    await fixture.broker.createQueue(queue);
    await fixture.send(queue, order(1));
    await fixture.deadLetter({ queue });
    const sent: unknown[] = [];
    await rehearseRepair({
      ...{ transport: fixture.transport, pipeline, from: { queue }, targetDetectsDuplicates },
      onRehearsed: (each) => sent.push((each.planned as EncodedMessage).messageId),
    });
    const at = fixture.clock.now();
    const end = `/$deadletterqueue:1:${at}:1`;
    expect(sent).toEqual([`waybill-resubmit:${"q".repeat(128 - 17 - end.length)}${end}`]);
  });

  it("does without a time if the broker does not say when it came", async () => {
    await using fixture = await openDeadLetters([order(1)]);
    const transport = replaced(fixture.transport, {
      createReceiver(address, mode) {
        const receiver = fixture.transport.createReceiver(address, mode);
        const peek: typeof receiver.peek = async (options) =>
          (await receiver.peek(options)).map((message) => ({ ...message, enqueuedTimeUtc: undefined }));
        return replaced(receiver, { peek });
      },
    });
    const sent: unknown[] = [];
    await rehearseRepair({
      ...{ transport, pipeline, from: { queue: "orders" }, targetDetectsDuplicates },
      onRehearsed: (each) => sent.push((each.planned as EncodedMessage).messageId),
    });
    expect(sent).toEqual(["waybill-resubmit:orders/$deadletterqueue:1:0:1"]);
  });

  it("is kept as the original id only once", async () => {
    const properties = (message: EncodedMessage) => planned(message, { targetDetectsDuplicates });
    expect(await properties(order(1))).toMatchObject({
      applicationProperties: { "waybill-original-message-id": "order-1" },
    });
    const again = { ...order(1), applicationProperties: { "waybill-original-message-id": "first" } };
    expect(await properties(again)).toMatchObject({
      applicationProperties: { "waybill-original-message-id": "first" },
    });
  });
});

describe("what a repair cannot know now", () => {
  const body = new TextEncoder().encode('{"id":1}');
  /** A chain with a store of claim checks that answers so many times. */
  function withStore(answers: number) {
    const stored = new Map<string, Uint8Array>();
    let asked = 0;
    const store = {
      put: async (key: string, bytes: Uint8Array) => void stored.set(key, bytes),
      async get(key: string) {
        if (asked++ < answers) return stored.get(key);
        throw new Error("The store cannot be reached.");
      },
      delete: async () => {},
    };
    return createPipeline({
      serializer: msgpack(),
      additionalDeserializers: [json()],
      claimCheck: { store, minBytes: 1 },
    });
  }

  it("stays: a message whose body cannot be fetched", async () => {
    const chain = withStore(0);
    const message = await chain.serialize({ body: { id: 1 } });
    await using fixture = await openDeadLetters([message]);
    expect(await fixture.repair({ pipeline: chain, includeUndeserializable: true })).toMatchObject({
      resubmitted: 0,
      skipped: { unavailable: 1 },
    });
  });

  it("stays: a message that could not be read back", async () => {
    await using fixture = await openDeadLetters([{ ...order(1), body }]);
    expect(await fixture.repair({ pipeline: withStore(0), body: "transcode" })).toMatchObject({
      resubmitted: 0,
      skipped: { unavailable: 1 },
    });
    expect(await fixture.repair({ pipeline: withStore(1), body: "transcode" })).toMatchObject({
      resubmitted: 1,
      skipped: {},
    });
  });

  it.each([
    new WaybillError("connection-lost", "The store cannot be reached."),
    new TypeError("serialization-failed"),
  ])("rejects the repair if it is not the message's fault: %s", async (error) => {
    await using fixture = await openDeadLetters([order(1)]);
    const chain = { ...pipeline, serialize: () => Promise.reject(error) };
    await expect(fixture.repair({ pipeline: chain, body: "transcode" })).rejects.toBe(error);
  });
});

describe("a repair and its dry run", () => {
  it("close what they opened, whether they succeed or not", async () => {
    await using fixture = await openDeadLetters([order(1)]);
    const before = fixture.leftOpen();
    const options = { transport: fixture.transport, from: { queue: "orders" }, maxWaitTimeInMs: 0 };
    const broken = { ...pipeline, deserialize: () => Promise.reject(new Error("broken")) };
    for (const run of [rehearseRepair, repairDeadLetters]) {
      await expect(run({ ...options, pipeline: broken })).rejects.toThrow("broken");
      await run({ ...options, pipeline });
    }
    expect(fixture.leftOpen()).toEqual(before);
  });

  it("wait two seconds for a message, unless they are told how long", async () => {
    await using fixture = await openDeadLetters([]);
    const waits: unknown[] = [];
    const transport = replaced(fixture.transport, {
      createReceiver(address, mode) {
        const receiver = fixture.transport.createReceiver(address, mode);
        return replaced(receiver, {
          receive(options) {
            waits.push(options.maxWaitTimeInMs);
            return receiver.receive({ ...options, maxWaitTimeInMs: 0 });
          },
        });
      },
    });
    await repairDeadLetters({ transport, pipeline, from: { queue: "orders" } });
    await repairDeadLetters({ transport, pipeline, from: { queue: "orders" }, maxWaitTimeInMs: 7 });
    expect(waits).toEqual([2_000, 7]);
  });

  it.each(["maxResubmits", "maxPerSecond", "limit"])("refuse %s of nothing", async (name) => {
    await using fixture = await openDeadLetters([]);
    await expect(fixture.repair({ [name]: 0 })).rejects.toThrow(`${name} must be above 0, not 0.`);
    await expect(fixture.repair({ [name]: 0.5 })).resolves.toMatchObject({ resubmitted: 0 });
  });
});
