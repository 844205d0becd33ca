import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { WaybillError } from "@waybill/core";
import type { DeliveredMessage, TransportReceiver } from "@waybill/core/transport";
import type { Case } from "../../case.js";
import { handleOf, subscribe, texts, transportCase } from "../harness/transport-harness.js";
import type { TransportSubject } from "../harness/transport-subject.js";

/** A subscription delivers until it is stopped, never more messages concurrently than allowed. */
export function subscribingCases(subject: TransportSubject): Case[] {
  const testCase = transportCase(subject, "subscribing");
  return [
    testCase("delivers waiting messages and later ones", async (harness) => {
      const queue = await harness.queueWith("a", "b");
      const receiver = harness.receiver(queue);
      const { messages, subscription } = collecting(receiver);
      await harness.until(() => messages.length === 2, "two messages were received");
      await harness.send(queue, "c");
      await harness.until(() => messages.length === 3, "the third message was received");
      await subscription.stop();
      assert.deepEqual(texts(messages), ["a", "b", "c"]);
      await harness.outlastLocks();
      await harness.receiveNothing(harness.receiver(queue));
    }),
    testCase("calls the handler for up to maxConcurrentCalls messages at a time", async (harness) => {
      const queue = await harness.queueWith(..."abcdefgh");
      const receiver = harness.receiver(queue);
      using gates = new Gates();
      let running = 0;
      let started = 0;
      const onMessage = async (delivered: DeliveredMessage) => {
        running++;
        started++;
        await gates.wait();
        await receiver.complete(handleOf(delivered));
        running--;
      };
      const subscription = subscribe(receiver, onMessage, 3);
      await harness.until(() => running === 3, "three handlers ran at once");
      for (let finished = 1; finished <= 8; finished++) {
        await turn();
        assert.ok(running <= 3, `${running} handlers ran at once`);
        gates.openOne();
        await harness.until(
          () => started === Math.min(3 + finished, 8),
          "the next handler took the free slot",
        );
      }
      await harness.until(() => running === 0, "the last handler ended");
      await subscription.stop();
    }),
    testCase("stop lets the running handlers finish and starts no more", async (harness) => {
      const queue = await harness.queueWith("a");
      const receiver = harness.receiver(queue);
      using gates = new Gates();
      const started: string[] = [];
      const subscription = subscribe(receiver, async (delivered) => {
        started.push(...texts([delivered]));
        await gates.wait();
        await receiver.complete(handleOf(delivered));
      });
      await harness.until(() => started.length === 1, "the handler started");
      let isStopped = false;
      const stopping = subscription.stop().then(() => {
        isStopped = true;
      });
      await harness.send(queue, "b");
      await turn();
      assert.equal(isStopped, false, "stop waits for the handler");
      gates.openOne();
      await stopping;
      assert.deepEqual(started, ["a"]);
      assert.deepEqual(texts([await harness.receiveOne(harness.receiver(queue))]), ["b"]);
    }),
    testCase(
      "calls onStopping when it begins to stop, so that waiting handlers can release their slots",
      async (harness) => {
        const queue = await harness.queueWith("a");
        let isHandled = false;
        let endWaiting = () => {};
        const subscription = harness.receiver(queue).subscribe(
          {
            async onMessage() {
              isHandled = true;
              await new Promise<void>((resolve) => {
                endWaiting = resolve;
              });
            },
            onError() {},
            onStopping: () => endWaiting(),
          },
          { maxConcurrentCalls: 1 },
        );
        await harness.until(() => isHandled, "the handler started");
        await subscription.stop();
      },
    ),
    testCase("stopping twice has no effect", async (harness) => {
      const queue = await harness.createQueue();
      const { subscription } = collecting(harness.receiver(queue));
      await Promise.all([subscription.stop(), subscription.stop()]);
      await subscription.stop();
    }),
    testCase("does not settle messages that the handler did not settle", async (harness) => {
      const queue = await harness.queueWith("lamp");
      const seen: DeliveredMessage[] = [];
      const subscription = subscribe(harness.receiver(queue), async (delivered) => void seen.push(delivered));
      await harness.until(() => seen.length === 1, "the message was received");
      await subscription.stop();
      await harness.outlastLocks();
      const again = await harness.receiveOne(harness.receiver(queue));
      assert.equal(again.deliveryCount, 1);
    }),
    testCase("delivers abandoned messages again", async (harness) => {
      const queue = await harness.queueWith("lamp");
      const receiver = harness.receiver(queue);
      const counts: number[] = [];
      const subscription = subscribe(receiver, async (delivered) => {
        counts.push(delivered.deliveryCount);
        if (counts.length < 3) await receiver.abandon(handleOf(delivered));
        else await receiver.complete(handleOf(delivered));
      });
      await harness.until(() => counts.length === 3, "the message was received three times");
      await subscription.stop();
      assert.deepEqual(counts, [0, 1, 2]);
    }),
    testCase("removes messages that it delivers in receive-and-delete mode", async (harness) => {
      const queue = await harness.queueWith("a", "b");
      const seen: DeliveredMessage[] = [];
      const receiver = harness.receiver(queue, "receiveAndDelete");
      const subscription = subscribe(receiver, async (delivered) => void seen.push(delivered), 2);
      await harness.until(() => seen.length === 2, "two messages were received");
      await subscription.stop();
      assert.ok(seen.every(({ settlement }) => settlement === undefined));
      await harness.outlastLocks();
      await harness.receiveNothing(harness.receiver(queue));
    }),
    testCase("reports an entity that does not exist", async (harness) => {
      const errors: unknown[] = [];
      const subscription = harness.receiver("no-such-queue").subscribe(
        {
          async onMessage() {},
          onError(error) {
            errors.push(error);
          },
        },
        { maxConcurrentCalls: 1 },
      );
      await harness.until(() => errors.length > 0, "an error was reported");
      await subscription.stop();
      assert.ok(errors[0] instanceof WaybillError, "the error is a WaybillError");
      assert.equal(errors[0].code, "entity-not-found");
    }),
    testCase("closing the receiver ends its subscription", async (harness) => {
      const { queue, receiver } = await harness.queueWithReceiver();
      const { messages } = collecting(receiver);
      await harness.send(queue, "a");
      await harness.until(() => messages.length === 1, "the message was received");
      await receiver.close();
      await harness.send(queue, "b");
      await harness.receiveOne(harness.receiver(queue));
      assert.equal(messages.length, 1);
    }),
  ];
}

/** Blocks handlers until a case releases them, and releases all when the case ends, so that closing never waits for them. */
class Gates implements Disposable {
  readonly #waiting: (() => void)[] = [];
  #isOpen = false;

  wait(): Promise<void> {
    return this.#isOpen ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }

  openOne(): void {
    this.#waiting.shift()?.();
  }

  [Symbol.dispose](): void {
    this.#isOpen = true;
    for (const open of this.#waiting.splice(0)) open();
  }
}

/** Subscribes with a handler that completes its messages. */
function collecting(receiver: TransportReceiver) {
  const messages: DeliveredMessage[] = [];
  const subscription = subscribe(receiver, async (delivered) => {
    await receiver.complete(handleOf(delivered));
    messages.push(delivered);
  });
  return { messages, subscription };
}
