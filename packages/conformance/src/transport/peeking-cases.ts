import assert from "node:assert/strict";
import type { TransportCapability } from "@waybill/core/transport";
import type { Case } from "../case.js";
import { assertSameValue } from "../same-value.js";
import type { TransportSubject } from "./transport-subject.js";
import { handleOf, message, type TransportTrial, texts, transportCase } from "./transport-trial.js";

/** Peeking sees everything and touches nothing. */
export function peekingCases(subject: TransportSubject): Case[] {
  const law = (
    name: string,
    run: (trial: TransportTrial) => Promise<void>,
    ...needs: TransportCapability[]
  ) => transportCase(subject, `peeking: ${name}`, run, ...needs);
  return [
    law("sees messages in order, whole, without lock or handle", async (trial) => {
      const queue = await trial.createQueue();
      await trial.send(queue, message("a", { messageId: "A-1", applicationProperties: { note: 1 } }), "b");
      const peeked = await trial.receiver(queue).peek({ maxMessages: 10 });
      assert.deepEqual(texts(peeked), ["a", "b"]);
      assert.equal(peeked[0]!.messageId, "A-1");
      assertSameValue(peeked[0]!.applicationProperties, { note: 1 }, "the application properties");
      for (const one of peeked) {
        assert.equal(one.settlement, undefined);
        assert.equal(one.lockToken, undefined);
        assert.equal(one.state, "active");
      }
    }),
    law("leaves messages as they were", async (trial) => {
      const queue = await trial.createQueue();
      await trial.send(queue, "lamp");
      const receiver = trial.receiver(queue);
      for (let times = 0; times < 3; times++) await receiver.peek({ maxMessages: 1 });
      assert.equal((await trial.receiveOne(receiver)).deliveryCount, 0);
    }),
    law("begins at a sequence number and returns at most as many as asked for", async (trial) => {
      const queue = await trial.createQueue();
      await trial.send(queue, "a", "b", "c", "d");
      const receiver = trial.receiver(queue);
      const all = await receiver.peek({ maxMessages: 10 });
      const fromSequenceNumber = all[1]!.sequenceNumber;
      assert.deepEqual(texts(await receiver.peek({ maxMessages: 2, fromSequenceNumber })), ["b", "c"]);
      assert.deepEqual(
        texts(await receiver.peek({ maxMessages: 1 })),
        ["a"],
        "each peek begins at the start",
      );
    }),
    law("sees a message that is locked", async (trial) => {
      const queue = await trial.createQueue();
      const receiver = trial.receiver(queue);
      const delivered = await trial.sendAndReceive(queue, receiver);
      assert.deepEqual(texts(await receiver.peek({ maxMessages: 1 })), ["lamp"]);
      await receiver.complete(handleOf(delivered));
      assert.deepEqual(await receiver.peek({ maxMessages: 1 }), []);
    }),
    law("sees nothing in an empty queue", async (trial) => {
      const queue = await trial.createQueue();
      assert.deepEqual(await trial.receiver(queue).peek({ maxMessages: 10 }), []);
    }),
    law("sees the dead-letter queue", async (trial) => {
      const queue = await trial.createQueue();
      const receiver = trial.receiver(queue);
      const delivered = await trial.sendAndReceive(queue, receiver);
      await receiver.deadLetter(handleOf(delivered), { deadLetterReason: "broken" });
      const [dead] = await trial.deadLetterReceiver(queue).peek({ maxMessages: 1 });
      assert.equal(dead!.deadLetterReason, "broken");
      assert.deepEqual(await receiver.peek({ maxMessages: 1 }), []);
    }),
    law(
      "sees deferred messages as deferred",
      async (trial) => {
        const queue = await trial.createQueue();
        const receiver = trial.receiver(queue);
        await receiver.defer(handleOf(await trial.sendAndReceive(queue, receiver)));
        const [deferred] = await receiver.peek({ maxMessages: 1 });
        assert.equal(deferred?.state, "deferred");
      },
      "deferral",
    ),
    law(
      "sees scheduled messages as scheduled",
      async (trial) => {
        const queue = await trial.createQueue();
        const at = new Date(trial.now().getTime() + 3_600_000);
        const [sequenceNumber] = await trial.transport.createSender(queue).schedule([message("lamp")], at);
        const [scheduled] = await trial.receiver(queue).peek({ maxMessages: 1 });
        assert.equal(scheduled?.state, "scheduled");
        assert.equal(scheduled.sequenceNumber, sequenceNumber);
        assert.equal(scheduled.scheduledEnqueueTimeUtc?.getTime(), at.getTime());
      },
      "scheduling",
    ),
  ];
}
