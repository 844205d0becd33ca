import assert from "node:assert/strict";
import { required } from "@waybill/foundation";
import type { Case } from "../case.js";
import type { TransportSubject } from "../transport/harness/transport-subject.js";
import { counted, gate, numbersOf, processingCase } from "./processing-harness.js";

/** A processor that is closed settles what is in flight, in time. */
export function clientClosingCases(subject: TransportSubject): Case[] {
  const testCase = processingCase(subject, "closing");
  return [
    testCase("closing a client does not close a transport that other clients use", async (harness) => {
      const queue = await harness.queue(counted(1), { requiresSession: false });
      const sessions = await harness.queue([], { requiresSession: true });
      const other = harness.client();
      const receiver = other.createReceiver(queue);
      const message = required(
        (await harness.ended(receiver.receiveMessages(1), "the other client received"))[0],
      );
      const client = harness.client({ quarantineQueue: queue });
      await client.createSender(queue).sendMessages(counted(1));
      const waiting = client.acceptNextSession(sessions);
      const refused = assert.rejects(waiting, { code: "closed" });
      await harness.ended(client.close(), "the client closed");
      await harness.ended(refused, "its pending call ended");
      await receiver.completeMessage(message);
      const next = await harness.ended(receiver.receiveMessages(1), "the other client received again");
      assert.deepEqual(numbersOf(next), [1]);
      await other.close();
    }),
    testCase(
      "handlers that end before the timeout settle their messages; messages of the others are abandoned",
      async (harness) => {
        const queue = await harness.queue(counted(4));
        const gates = new Map<number, ReturnType<typeof gate>>();
        const aborted: number[] = [];
        const client = harness.client();
        const subscription = client.createReceiver(queue).subscribe<{ n: number }>(
          {
            processError: harness.processError,
            async processMessage({ body: { n } }, { abortSignal }) {
              abortSignal.addEventListener("abort", () => aborted.push(n));
              gates.set(n, gate());
              await required(gates.get(n)).opened;
            },
          },
          { maxConcurrentCalls: 3, prefetchCount: 1 },
        );
        await harness.until(() => gates.size === 3, "three messages were received");
        const closing = subscription.close({ closeTimeoutInMs: 500 });
        required(gates.get(2)).open();
        await harness.ended(closing, "the subscription closed");
        assert.deepEqual(aborted.toSorted(), [1, 3]);
        const late = harness.errors.filter(({ errorSource }) => errorSource === "processMessageCallback");
        assert.deepEqual(
          late.map(({ messageId, error }) => [messageId, (error as { code?: string }).code]).toSorted(),
          [
            ["m1", "timeout"],
            ["m3", "timeout"],
          ],
        );
        // The processor no longer waits for them, and settling has no effect.
        required(gates.get(1)).open();
        required(gates.get(3)).fail(new Error("too late"));
        await harness.quiet();
        const left = await harness.content(queue);
        assert.deepEqual(numbersOf(left), [1, 3, 4]);
        const again = await client.createReceiver(queue).receiveMessages(3);
        assert.deepEqual(
          again.map(({ deliveryCount }) => deliveryCount),
          [1, 1, 1],
        );
      },
    ),
    testCase("with many messages in flight, none is lost and none stays locked", async (harness) => {
      const count = 200;
      const queue = await harness.queue(counted(count), { maxDeliveryCount: 1000 });
      const client = harness.client();
      const handled = new Set<number>();
      let isStopped = false;
      for (let round = 0; !isStopped; round++) {
        const waiting: (() => void)[] = [];
        let came = 0;
        const subscription = client.createReceiver(queue).subscribe<{ n: number }>(
          {
            processError: () => {},
            async processMessage({ body: { n } }) {
              came++;
              if (n % 5 === round % 5) return void handled.add(n);
              if (n % 5 === (round + 1) % 5) throw new Error("abandoned");
              await new Promise<void>((resolve) => waiting.push(resolve));
              handled.add(n);
            },
          },
          { maxConcurrentCalls: 50, prefetchCount: 10 },
        );
        const expected = Math.min(20, (await harness.content(queue)).length);
        await harness.until(() => came >= expected, "messages are in flight");
        const closing = subscription.close({ closeTimeoutInMs: 200 });
        for (const finish of waiting.slice(0, waiting.length / 2)) finish();
        await harness.ended(closing, "the subscription closed");
        const left = numbersOf(await harness.content(queue));
        // Every message was handled or is still in the queue. A handler that was interrupted may have handled its message, too.
        assert.deepEqual(new Set([...left, ...handled]), new Set(numbersOf(counted(count))));
        isStopped = left.length === 0 || round >= 3;
        // The remaining messages are not locked.
        if (left.length > 0) {
          const receiver = client.createReceiver(queue);
          const next = await receiver.receiveMessages(1, { maxWaitTimeInMs: 1000 });
          assert.equal(next.length, 1);
          await receiver.abandonMessage(required(next[0]));
        }
      }
    }),
  ];
}
