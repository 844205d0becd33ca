import assert from "node:assert/strict";
import type { Case } from "../case.js";
import type { TransportSubject } from "./transport-subject.js";
import { handleOf, type TransportTrial, texts, transportCase } from "./transport-trial.js";

/** How often a message may be forwarded. Source: "Chaining Service Bus entities with autoforwarding". */
const hopLimit = 4;

/** What a receiver sees of messages that went from queue to queue. */
export function forwardingCases(subject: TransportSubject): Case[] {
  return [
    transportCase(
      subject,
      "forwarding: a message comes from the queue it was passed on to",
      async (trial) => {
        const target = await trial.createQueue();
        const queue = await trial.createQueue({ forwardTo: target });
        await trial.send(queue, "lamp");
        const delivered = await trial.receiveOne(trial.receiver(target));
        assert.deepEqual([...texts([delivered]), delivered.deadLetterSource], ["lamp", undefined]);
      },
    ),
    transportCase(
      subject,
      "forwarding: a dead-lettered message that was passed on names its source",
      async (trial) => {
        const target = await trial.createQueue();
        const queue = await trial.createQueue({ forwardDeadLetteredMessagesTo: target });
        const receiver = trial.receiver(queue);
        await receiver.deadLetter(handleOf(await trial.sendAndReceive(queue, receiver)), {
          deadLetterReason: "broken",
        });
        const dead = await trial.receiveOne(trial.receiver(target));
        assert.deepEqual([...texts([dead]), dead.deadLetterReason], ["lamp", "broken"]);
        assert.equal(dead.deadLetterSource?.toLowerCase(), queue.toLowerCase());
        await trial.receiveNothing(trial.deadLetterReceiver(queue));
      },
    ),
  ];
}

/** What the transfer dead-letter queue must do where there is one. */
export function transferDeadLetterCases(subject: TransportSubject): Case[] {
  const law = (name: string, run: (trial: TransportTrial) => Promise<void>) =>
    transportCase(subject, `transfer dead-letter: ${name}`, run, "transferDeadLetter");
  return [
    law("a queue's transfer dead-letter queue can be received from", async (trial) => {
      const queue = await trial.createQueue();
      await trial.send(queue, "lamp");
      await trial.receiveNothing(trial.receiver({ queue, subQueue: "transferDeadLetter" }));
    }),
    law("a message that was passed on too often lies in the last queue's", async (trial) => {
      const chain = [await trial.createQueue()];
      while (chain.length < hopLimit + 2) chain.unshift(await trial.createQueue({ forwardTo: chain[0]! }));
      await trial.send(chain[0]!, "lamp");
      const queue = chain[hopLimit]!;
      const receiver = trial.receiver({ queue, subQueue: "transferDeadLetter" });
      const kept = await trial.receiveOne(receiver);
      assert.deepEqual(texts([kept]), ["lamp"]);
      await trial.receiveNothing(trial.receiver(chain.at(-1)!));
      await receiver.complete(handleOf(kept));
    }),
  ];
}
