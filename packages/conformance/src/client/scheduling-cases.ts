import assert from "node:assert/strict";
import { peekAll } from "@waybill/core";
import type { Case } from "../case.js";
import { rejectsWith } from "../outcome.js";
import { required } from "../required.js";
import type { TransportSubject } from "../transport/harness/transport-subject.js";
import { counted, numbersOf, processingCase } from "./processing-harness.js";

const hourMs = 3_600_000;

/** Messages are scheduled by property or by call, found by peeking, and cancelled. */
export function clientSchedulingCases(subject: TransportSubject): Case[] {
  const testCase = processingCase(subject, "scheduling");
  return [
    testCase("a message that names its hour comes then and not before", async (harness) => {
      const scheduledEnqueueTimeUtc = harness.later(1000);
      const queue = await harness.queue([{ body: { n: 1 }, scheduledEnqueueTimeUtc }]);
      assert.deepEqual(
        (await harness.content(queue)).map(({ state }) => state),
        ["scheduled"],
      );
      const seen: unknown[] = [];
      const { processError } = harness;
      const subscription = harness
        .client()
        .createReceiver(queue)
        .subscribe({ processMessage: ({ body }) => void seen.push(body), processError });
      await harness.until(() => seen.length === 1, "the message came");
      await subscription.close();
      assert.ok(harness.later(0) >= scheduledEnqueueTimeUtc, "its hour had come");
      assert.deepEqual(seen, [{ n: 1 }]);
    }),
    testCase("a call schedules many, tells their numbers, and cancels by them", async (harness) => {
      const queue = await harness.queue([]);
      const sender = harness.client().createSender(queue);
      const numbers = await sender.scheduleMessages(counted(3), harness.later(hourMs));
      assert.equal(new Set(numbers).size, 3);
      await sender.cancelScheduledMessages(numbers.slice(0, 2));
      assert.deepEqual(numbersOf(await harness.content(queue)), [3]);
      const first = required(numbers[0]);
      await rejectsWith("message-not-found", () => sender.cancelScheduledMessages(first));
    }),
    testCase(
      "scheduled messages whose numbers nobody kept are found by peeking, past all others",
      async (harness) => {
        const queue = await harness.queue(counted(120));
        const client = harness.client();
        const sender = client.createSender(queue);
        const numbers = await sender.scheduleMessages(counted(2), harness.later(hourMs));
        const found: bigint[] = [];
        for await (const { sequenceNumber } of peekAll(client.createReceiver(queue), { state: "scheduled" }))
          found.push(sequenceNumber);
        assert.deepEqual(found.toSorted(), numbers.toSorted());
        await sender.cancelScheduledMessages(found);
        assert.equal((await harness.content(queue)).length, 120);
      },
    ),
  ];
}
