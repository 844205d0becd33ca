import assert from "node:assert/strict";
import { DeferError, DeferredMessages } from "@waybill/core";
import type { SequenceNumberStore } from "@waybill/core/transport";
import { required } from "@waybill/foundation";
import type { Case } from "../case.js";
import type { TransportSubject } from "../transport/harness/transport-subject.js";
import { counted, numbersOf, type ProcessingHarness, processingCase } from "./processing-harness.js";

/** Messages are deferred and received by sequence number; a record keeps the numbers. */
export function clientDeferralCases(subject: TransportSubject): Case[] {
  const testCase = processingCase(subject, "deferral", "deferral");
  return [
    testCase(
      "the record of deferred messages receives them in order, and removes completed ones",
      async (harness) => {
        const receiver = harness.client().createReceiver(await harness.queue(counted(3)));
        const store = memoryStore();
        const deferred = new DeferredMessages(receiver, store);
        for (const message of await receiveAll(receiver, 3)) await deferred.defer(message);
        const [first, ...others] = await new DeferredMessages(receiver, store).receive();
        assert.deepEqual(numbersOf([required(first), ...others]), [1, 2, 3]);
        await deferred.complete(required(first));
        assert.deepEqual(
          store.saved,
          others.map(({ sequenceNumber }) => sequenceNumber),
        );
      },
    ),
    testCase(
      "a sequence number without a message is removed from the record, other messages are received",
      async (harness) => {
        const receiver = harness.client().createReceiver(await harness.queue(counted(2)));
        const store = memoryStore();
        const deferred = new DeferredMessages(receiver, store);
        for (const message of await receiveAll(receiver, 2)) await deferred.defer(message);
        // The state after a crash between the two steps of `defer`, or of `complete`.
        await store.save([987_654n, ...store.saved]);
        const again = new DeferredMessages(receiver, store);
        assert.deepEqual(numbersOf(await again.receive()), [1, 2]);
        assert.equal(store.saved.length, 2);
      },
    ),
    testCase("a lost record of deferred messages is restored by peeking", async (harness) => {
      const receiver = harness.client().createReceiver(await harness.queue(counted(3)));
      const messages = await receiveAll(receiver, 3);
      for (const message of messages.slice(1)) await receiver.deferMessage(message);
      const deferred = new DeferredMessages(receiver, memoryStore());
      assert.equal(await deferred.discover(), 2);
      assert.equal(await deferred.discover(), 0);
      assert.deepEqual(numbersOf(await deferred.receive()), [2, 3]);
    }),
    testCase(
      "a handler defers a message with an error, and the session state keeps the record",
      async (harness) => {
        const queue = await harness.queue(counted(3, { sessionId: "ada" }), { requiresSession: true });
        const client = harness.client();
        const finished: number[][] = [];
        client.subscribeSessions<{ n: number }>(queue, {
          processError: harness.processError,
          async processMessage({ body, sequenceNumber }, { session }) {
            const waiting = (await session.getSessionState<string[]>()) ?? [];
            if (body.n < 3) {
              await session.setSessionState([...waiting, String(sequenceNumber)]);
              throw new DeferError();
            }
            const kept = await session.receiveDeferredMessages(waiting.map(BigInt));
            finished.push(numbersOf(kept));
            for (const message of kept) await session.completeMessage(message);
          },
        });
        await harness.until(() => finished.length === 1, "the last message was received");
        await harness.untilEmpty(queue);
        assert.deepEqual(finished, [[1, 2]]);
        assert.deepEqual(harness.errors, []);
        await client.close();
      },
      "sessions",
    ),
  ];
}

type Receiver = ReturnType<ReturnType<ProcessingHarness["client"]>["createReceiver"]>;

async function receiveAll(receiver: Receiver, count: number) {
  const messages = [];
  while (messages.length < count) messages.push(...(await receiver.receiveMessages(count - messages.length)));
  return messages;
}

function memoryStore(): SequenceNumberStore & { saved: readonly bigint[] } {
  return {
    saved: [],
    async load() {
      return this.saved;
    },
    async save(numbers) {
      this.saved = numbers;
    },
  };
}
