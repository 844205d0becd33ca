import assert from "node:assert/strict";
import { peekAll, WaybillError } from "@waybill/core";
import type { Case } from "../case.js";
import type { TransportSubject } from "../transport/transport-subject.js";
import { counted, numbersOf, type ProcessingTrial, processingCase } from "./processing-trial.js";

const hourMs = 3_600_000;

/** Messages are scheduled by property or by call, found by peeking, and cancelled. */
export function clientSchedulingCases(subject: TransportSubject): Case[] {
  const law = (name: string, run: (trial: ProcessingTrial) => Promise<void>) =>
    processingCase(subject, `scheduling: ${name}`, run);
  return [
    law("a message that names its hour comes then and not before", async (trial) => {
      const scheduledEnqueueTimeUtc = trial.later(1000);
      const queue = await trial.queue([{ body: { n: 1 }, scheduledEnqueueTimeUtc }]);
      assert.deepEqual(
        (await trial.content(queue)).map(({ state }) => state),
        ["scheduled"],
      );
      const seen: unknown[] = [];
      const { processError } = trial;
      const subscription = trial
        .client()
        .createReceiver(queue)
        .subscribe({ processMessage: ({ body }) => void seen.push(body), processError });
      await trial.until(() => seen.length === 1, "the message came");
      await subscription.close();
      assert.ok(trial.later(0) >= scheduledEnqueueTimeUtc, "its hour had come");
      assert.deepEqual(seen, [{ n: 1 }]);
    }),
    law("a call schedules many, tells their numbers, and cancels by them", async (trial) => {
      const queue = await trial.queue([]);
      const sender = trial.client().createSender(queue);
      const numbers = await sender.scheduleMessages(counted(3), trial.later(hourMs));
      assert.equal(new Set(numbers).size, 3);
      await sender.cancelScheduledMessages(numbers.slice(0, 2));
      assert.deepEqual(numbersOf(await trial.content(queue)), [3]);
      const error = await sender.cancelScheduledMessages(numbers[0]!).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof WaybillError && error.code === "message-not-found", String(error));
    }),
    law(
      "scheduled messages whose numbers nobody kept are found by peeking, past all others",
      async (trial) => {
        const queue = await trial.queue(counted(120));
        const client = trial.client();
        const sender = client.createSender(queue);
        const numbers = await sender.scheduleMessages(counted(2), trial.later(hourMs));
        const found: bigint[] = [];
        for await (const { sequenceNumber } of peekAll(client.createReceiver(queue), { state: "scheduled" }))
          found.push(sequenceNumber);
        assert.deepEqual(found.toSorted(), numbers.toSorted());
        await sender.cancelScheduledMessages(found);
        assert.equal((await trial.content(queue)).length, 120);
      },
    ),
  ];
}
