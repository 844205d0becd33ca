import assert from "node:assert/strict";
import {
  DeadLetterError,
  firstMessageIdProperty,
  type MessageHandlers,
  retryCountProperty,
  type SubscribeMessagesOptions,
} from "@waybill/core";
import { required } from "@waybill/foundation";
import type { Case } from "../case.js";
import type { TransportSubject } from "../transport/harness/transport-subject.js";
import { counted, gate, numbersOf, type ProcessingHarness, processingCase } from "./processing-harness.js";

/** How a processor settles messages by the outcome of its handler. */
export function processingCases(subject: TransportSubject): Case[] {
  const testCase = processingCase(subject, "processing");
  return [
    testCase("an error in the handler abandons the message, which is delivered again", async (harness) => {
      const queue = await harness.queue(counted(1));
      const counts: number[] = [];
      subscribe(harness, queue, ({ deliveryCount }) => {
        counts.push(deliveryCount);
        if (counts.length < 3) throw new Error("not yet");
      });
      await harness.untilEmpty(queue);
      assert.deepEqual(counts, [0, 1, 2]);
      assert.deepEqual(
        harness.errors.map(({ errorSource, messageId }) => [errorSource, messageId]),
        [
          ["processMessageCallback", "m1"],
          ["processMessageCallback", "m1"],
        ],
      );
    }),
    testCase("a DeadLetterError dead-letters the message with its reason and properties", async (harness) => {
      const queue = await harness.queue(counted(1));
      subscribe(harness, queue, () => {
        throw new DeadLetterError("NoSuchCustomer", "It was deleted.", {
          propertiesToModify: { checked: true },
        });
      });
      await harness.untilEmpty(queue);
      const [dead] = await harness.content(queue, "deadLetter");
      assert.equal(dead?.deadLetterReason, "NoSuchCustomer");
      assert.equal(dead?.deadLetterErrorDescription, "It was deleted.");
      assert.equal(dead?.applicationProperties.checked, true);
      assert.equal(dead?.deliveryCount, 0);
    }),
    testCase("messages are prefetched up to the limit, and handled in order", async (harness) => {
      const queue = await harness.queue(counted(6));
      const { opened, open } = gate();
      const seen: number[] = [];
      const subscription = subscribe(
        harness,
        queue,
        async ({ body }) => {
          seen.push(body.n);
          await opened;
        },
        { prefetchCount: 2 },
      );
      await harness.until(() => seen.length === 1, "the first message was received");
      await harness.quiet();
      // Three are locked: another receiver gets the fourth.
      const other = harness.client().createReceiver(queue);
      const fourth = required((await other.receiveMessages<{ n: number }>(1))[0]);
      assert.equal(fourth?.body.n, 4);
      await other.completeMessage(fourth);
      assert.deepEqual(seen, [1]);
      open();
      await harness.untilEmpty(queue);
      assert.deepEqual(seen, [1, 2, 3, 5, 6]);
      await subscription.close();
    }),
    testCase(
      "a failed message is scheduled again after the retry delay, as a copy that counts its retries",
      async (harness) => {
        const queue = await harness.queue([{ body: { n: 1 }, messageId: "order-1", subject: "order" }]);
        const seen: { count: unknown; first: unknown; subject: unknown }[] = [];
        subscribe(
          harness,
          queue,
          ({ applicationProperties, subject }) => {
            seen.push({
              count: applicationProperties[retryCountProperty],
              first: applicationProperties[firstMessageIdProperty],
              subject,
            });
            if (seen.length < 3) throw new Error("not yet");
          },
          { retry: { delayInMs: (retry) => retry * 200 } },
        );
        await harness.until(() => seen.length === 3, "the message was received three times");
        await harness.untilEmpty(queue);
        assert.deepEqual(
          seen.map(({ count, first, subject }) => [count, first, subject]),
          [
            [undefined, undefined, "order"],
            [1, "order-1", "order"],
            [2, "order-1", "order"],
          ],
        );
      },
      "scheduling",
    ),
    testCase(
      "a message is dead-lettered after its last retry",
      async (harness) => {
        const queue = await harness.queue(counted(1));
        let calls = 0;
        subscribe(
          harness,
          queue,
          () => {
            calls++;
            throw new Error("never");
          },
          { retry: { delayInMs: 100, maxRetries: 2 } },
        );
        await harness.untilEmpty(queue);
        assert.equal(calls, 3);
        const [dead] = await harness.content(queue, "deadLetter");
        assert.equal(dead?.deadLetterReason, "RetriesExhausted");
      },
      "scheduling",
    ),
    testCase(
      "a for-await loop completes each message before the next, and abandons the one at which it is left",
      async (harness) => {
        const queue = await harness.queue(counted(5));
        const receiver = harness.client().createReceiver(queue);
        const seen: number[] = [];
        const loop = receiver.getMessageIterator<{ n: number }>({
          autoCompleteMessages: true,
          prefetchCount: 3,
        });
        for await (const { body } of loop) {
          seen.push(body.n);
          if (body.n === 3) break;
        }
        assert.deepEqual(seen, [1, 2, 3]);
        const left = await harness.content(queue);
        assert.deepEqual(numbersOf(left), [3, 4, 5]);
        assert.equal(required(left[0]).deliveryCount, 1);
        const again = await harness.client().createReceiver(queue).receiveMessages(1);
        assert.deepEqual(numbersOf(again), [3]);
      },
    ),
  ];
}

function subscribe(
  harness: ProcessingHarness,
  queue: string,
  processMessage: MessageHandlers<{ n: number }>["processMessage"],
  options?: SubscribeMessagesOptions,
) {
  const { processError } = harness;
  const receiver = harness.client().createReceiver(queue);
  return receiver.subscribe<{ n: number }>({ processMessage, processError }, options);
}
