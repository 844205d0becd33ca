import assert from "node:assert/strict";
import { required } from "@waybill/foundation";
import type { Case } from "../../case.js";
import { handleOf, texts, transportCase } from "../harness/transport-harness.js";
import type { TransportSubject } from "../harness/transport-subject.js";

/** How often a message may be forwarded. Source: "Chaining Service Bus entities with autoforwarding". */
const hopLimit = 4;

/** What a receiver gets of forwarded messages. */
export function forwardingCases(subject: TransportSubject): Case[] {
  const testCase = transportCase(subject, "forwarding");
  return [
    testCase("a forwarded message is received from the target queue", async (harness) => {
      const target = await harness.createQueue();
      const queue = await harness.createQueue({ forwardTo: target });
      await harness.send(queue, "lamp");
      const delivered = await harness.receiveOne(harness.receiver(target));
      assert.deepEqual([...texts([delivered]), delivered.deadLetterSource], ["lamp", undefined]);
    }),
    testCase("a dead-lettered message that was forwarded has its deadLetterSource", async (harness) => {
      const target = await harness.createQueue();
      const { queue, receiver } = await harness.queueWithReceiver({ forwardDeadLetteredMessagesTo: target });
      await receiver.deadLetter(handleOf(await harness.sendAndReceive(queue, receiver)), {
        deadLetterReason: "broken",
      });
      const dead = await harness.receiveOne(harness.receiver(target));
      assert.deepEqual([...texts([dead]), dead.deadLetterReason], ["lamp", "broken"]);
      assert.equal(dead.deadLetterSource?.toLowerCase(), queue.toLowerCase());
      await harness.receiveNothing(harness.deadLetterReceiver(queue));
    }),
  ];
}

/** The transfer dead-letter queue, for transports that have it. */
export function transferDeadLetterCases(subject: TransportSubject): Case[] {
  const testCase = transportCase(subject, "transfer dead-letter", "transferDeadLetter");
  return [
    testCase("a queue's transfer dead-letter queue can be received from", async (harness) => {
      const queue = await harness.queueWith("lamp");
      await harness.receiveNothing(harness.receiver({ queue, subQueue: "transferDeadLetter" }));
    }),
    testCase(
      "a message that was forwarded too often is in the transfer dead-letter queue of the last queue",
      async (harness) => {
        const chain = [await harness.createQueue()];
        while (chain.length < hopLimit + 2)
          chain.unshift(await harness.createQueue({ forwardTo: required(chain[0]) }));
        await harness.send(required(chain[0]), "lamp");
        const queue = required(chain[hopLimit]);
        const receiver = harness.receiver({ queue, subQueue: "transferDeadLetter" });
        const kept = await harness.receiveOne(receiver);
        assert.deepEqual(texts([kept]), ["lamp"]);
        await harness.receiveNothing(harness.receiver(required(chain.at(-1))));
        await receiver.complete(handleOf(kept));
      },
    ),
  ];
}
