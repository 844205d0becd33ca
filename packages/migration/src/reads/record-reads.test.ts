import { createPipeline, type EncodedMessage, WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, expect, it } from "vitest";
import { takeCensus } from "../census/take-census.js";
import { openFixture } from "../fixture.test-support.js";
import { retirementVerdict } from "../retirement/retirement-verdict.js";
import { queueReadStore } from "./queue-read-store.js";
import { recordReads } from "./record-reads.js";

const pipeline = createPipeline({ serializer: msgpack(), additionalDeserializers: [json()] });
const inJson = pipeline.serialize({ body: { id: 1 }, contentType: "application/json" }) as EncodedMessage;

/** A consumer of "orders" that records its reads in "waybill". */
async function openConsumer() {
  const fixture = openFixture();
  const { broker, transport } = fixture;
  await broker.createQueue("orders");
  await broker.createQueue("waybill");
  const store = queueReadStore(transport, "waybill");
  const options = { reader: "warehouse", instance: "host-1", scheduler: transport.scheduler };
  const recording = await recordReads(pipeline, store, options);
  const client = new WaybillClient(transport, { pipeline: recording.pipeline });
  const receiver = client.createReceiver("orders");
  return {
    ...fixture,
    store,
    recording,
    /** Drains the queue. */
    async work() {
      for (const message of await receiver.receiveMessages(100, { maxWaitTimeInMs: 0 }))
        await receiver.completeMessage(message);
    },
    async verdict(writersStoppedAt: Date) {
      const census = await takeCensus({ ...fixture.source, pipeline });
      return retirementVerdict({ serializer: "json" }, census, {
        writersStoppedAt,
        reads: await store.list(),
      });
    },
    async [Symbol.asyncDispose]() {
      await recording.close();
      await client.close();
      await fixture[Symbol.asyncDispose]();
    },
  };
}

describe("recordReads", () => {
  it("records the last read of each format, at once and then at intervals", async () => {
    await using consumer = await openConsumer();
    expect(await consumer.store.list()).toMatchObject([
      { reader: "warehouse", instance: "host-1", since: consumer.now(), reads: [] },
    ]);
    consumer.clock.advance(1_000);
    const sentAt = consumer.now();
    await consumer.send("orders", inJson);
    consumer.clock.advance(1_000);
    await consumer.work();
    const lastReadAt = consumer.now();
    consumer.clock.advance(598_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await consumer.store.list()).toMatchObject([
      {
        recordedAt: consumer.now(),
        reads: [{ serializer: "json", count: 1, lastReadAt, newestSentAt: sentAt }],
      },
    ]);
  });

  it("lets the verdict see a writer whose queue is drained at once", async () => {
    await using consumer = await openConsumer();
    const writersStoppedAt = consumer.now();
    consumer.clock.advance(1_000);
    await consumer.send("orders", inJson);
    const sentAt = consumer.now();
    await consumer.work();
    await consumer.recording.close();
    expect(await consumer.verdict(writersStoppedAt)).toMatchObject({
      answer: "no",
      lastSeenAt: sentAt,
      lastReadAt: sentAt,
      reasons: [
        {
          obstacle: "writers",
          contradicts: "writersStoppedAt",
          text: `contradicted: warehouse has read one that was enqueued at ${sentAt.toISOString()}, after its writers were said to have stopped.`,
        },
      ],
    });
  });

  it("without a record since the writers stopped, the verdict is not known, and says what to wait for", async () => {
    await using consumer = await openConsumer();
    consumer.clock.advance(1_000);
    const writersStoppedAt = consumer.now();
    expect(await consumer.verdict(writersStoppedAt)).toMatchObject({
      answer: "not-known",
      reasons: [
        {
          obstacle: "reads-unknown",
          todo: `let the consumer run with recordReads, and wait for a record that was written after ${writersStoppedAt.toISOString()}`,
        },
      ],
    });
    await consumer.recording.close();
    expect(await consumer.verdict(writersStoppedAt)).toMatchObject({ answer: "yes" });
  });

  it("requires a record of every consumer that is named", async () => {
    await using consumer = await openConsumer();
    const census = await takeCensus({ ...consumer.source, pipeline });
    const evidence = {
      writersStoppedAt: consumer.now(),
      reads: await consumer.store.list(),
      readers: ["warehouse", "billing"],
    };
    expect(retirementVerdict({ serializer: "json" }, census, evidence)).toMatchObject({
      answer: "not-known",
      reasons: [{ text: "what billing has read since its writers stopped is not known." }],
    });
  });

  it("does not take a scheduled message for one of a writer that goes on", async () => {
    await using consumer = await openConsumer();
    await consumer.schedule("orders", inJson, 60_000);
    const writersStoppedAt = consumer.now();
    consumer.clock.advance(60_000);
    await consumer.work();
    await consumer.recording.close();
    expect(await consumer.verdict(writersStoppedAt)).toMatchObject({ answer: "yes" });
  });

  it("refuses records that cannot be read", async () => {
    await using consumer = await openConsumer();
    const body = new TextEncoder().encode('{"reader":"billing"}');
    await consumer.send("waybill", { subject: "waybill-reads", contentType: "application/json", body });
    await expect(consumer.store.list()).rejects.toThrow("is not a read record; remove it.");
  });
});
