import assert from "node:assert/strict";
import { peekAll } from "@waybill/core";
import { required } from "@waybill/foundation";
import type { Case } from "../case.js";
import { rejectsWith } from "../outcome.js";
import type { TransportSubject } from "../transport/harness/transport-subject.js";
import { counted, numbersOf, processingCase } from "./processing-harness.js";

const hourMs = 3_600_000;

/** Messages are scheduled by property or by call, found by peeking, and cancelled. */
export function clientSchedulingCases(subject: TransportSubject): Case[] {
  const testCase = processingCase(subject, "scheduling", "scheduling");
  return [
    testCase(
      "a message with scheduledEnqueueTimeUtc is delivered at that time and not before",
      async (harness) => {
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
        await harness.until(() => seen.length === 1, "the message was received");
        await subscription.close();
        assert.ok(
          harness.later(0) >= scheduledEnqueueTimeUtc,
          "it was not delivered before its scheduled time",
        );
        assert.deepEqual(seen, [{ n: 1 }]);
      },
    ),
    testCase(
      "one call schedules many messages and returns their sequence numbers, which cancel them",
      async (harness) => {
        const queue = await harness.queue([]);
        const sender = harness.client().createSender(queue);
        const numbers = await sender.scheduleMessages(counted(3), harness.later(hourMs));
        assert.equal(new Set(numbers).size, 3);
        await sender.cancelScheduledMessages(numbers.slice(0, 2));
        assert.deepEqual(numbersOf(await harness.content(queue)), [3]);
        const first = required(numbers[0]);
        await rejectsWith("message-not-found", () => sender.cancelScheduledMessages(first));
      },
    ),
    testCase(
      "scheduled messages can be found by peeking if their sequence numbers were lost",
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
