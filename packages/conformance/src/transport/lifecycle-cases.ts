import assert from "node:assert/strict";
import { WaybillError } from "@waybill/core";
import type { Case } from "../case.js";
import { type Operation, operations } from "./operations.js";
import type { TransportSubject } from "./transport-subject.js";
import { message, outcomeOf, rejectsWith, type TransportTrial, transportCase } from "./transport-trial.js";

/** What every operation does when its transport or its object is closed, when its caller gave up, and when its lock was lost. */
export function lifecycleCases(subject: TransportSubject): Case[] {
  return [
    ...operations.flatMap((operation) => operationCases(subject, operation)),
    ...closingCases(subject),
    ...missingEntityCases(subject),
  ];
}

function operationCases(subject: TransportSubject, operation: Operation): Case[] {
  const { name, needs, lock } = operation;
  const law = (circumstance: string, run: (trial: TransportTrial) => Promise<void>) =>
    transportCase(subject, `lifecycle: ${name} ${circumstance}`, run, ...needs);
  const cases = [
    law("rejects with closed when the transport is closed", async (trial) => {
      const { call } = await operation.prepare(trial);
      await trial.transport.close();
      await rejectsWith("closed", () => call({}), name);
    }),
    law("rejects with aborted when its caller gave up before", async (trial) => {
      const { call } = await operation.prepare(trial);
      await rejectsWith("aborted", () => call({ abortSignal: AbortSignal.abort() }), name);
      assert.equal(await outcomeOf(() => call({})), undefined, `${name} did nothing, and works afterwards`);
    }),
    law("ends with its result or aborted when its caller gives up meanwhile", async (trial) => {
      const { call } = await operation.prepare(trial);
      const givingUp = new AbortController();
      const pending = outcomeOf(() => call({ abortSignal: givingUp.signal }));
      givingUp.abort();
      const error = await trial.ended(pending, 10_000);
      if (error !== undefined) await rejectsWith("aborted", () => Promise.reject(error), name);
      await assertUsable(trial);
    }),
    law("works with a signal that never aborts", async (trial) => {
      const { call } = await operation.prepare(trial);
      await call({ abortSignal: new AbortController().signal });
    }),
  ];
  if (name !== "acceptSession")
    cases.push(
      law("rejects with closed when what it is called on is closed", async (trial) => {
        const { call, owner } = await operation.prepare(trial);
        await owner!.close();
        await rejectsWith("closed", () => call({}), name);
        await assertUsable(trial);
      }),
    );
  if (lock !== undefined)
    cases.push(
      law(`rejects with ${lock}-lock-lost when its lock was lost`, async (trial) => {
        const { call } = await operation.prepare(trial);
        await trial.outlastLocks();
        await rejectsWith(`${lock}-lock-lost`, () => call({}), name);
      }),
    );
  return cases;
}

function closingCases(subject: TransportSubject): Case[] {
  const law = (name: string, run: (trial: TransportTrial) => Promise<void>) =>
    transportCase(subject, `lifecycle: ${name}`, run);
  return [
    law("the transport declares the capabilities that its subject does", async (trial) => {
      assert.deepEqual([...trial.transport.capabilities].sort(), [...subject.capabilities].sort());
    }),
    law("senders and receivers know their entity", async (trial) => {
      const queue = await trial.createQueue();
      assert.equal(trial.transport.createSender(queue).entityPath, queue);
      assert.ok(trial.receiver(queue).entityPath.startsWith(queue));
      assert.equal(trial.receiver(queue).receiveMode, "peekLock");
      assert.notEqual(trial.deadLetterReceiver(queue).entityPath, queue);
    }),
    law("making a sender or receiver for an entity that does not exist is no error yet", async (trial) => {
      await trial.transport.createSender("no-such-queue").close();
      await trial.receiver("no-such-queue").close();
    }),
    law("closing twice is harmless", async (trial) => {
      const queue = await trial.createQueue();
      const sender = trial.transport.createSender(queue);
      const receiver = trial.receiver(queue);
      await Promise.all([sender.close(), sender.close(), receiver.close(), receiver.close()]);
      await sender.close();
      await trial.transport.close();
      await trial.transport.close();
      await trial.transport[Symbol.asyncDispose]();
      await receiver.close();
    }),
    law("what is made on a closed transport is closed", async (trial) => {
      const queue = await trial.createQueue();
      await trial.transport.close();
      await rejectsWith("closed", async () => trial.transport.createSender(queue).send([message("lamp")]));
      await rejectsWith("closed", async () =>
        trial.receiver(queue).receive({ maxMessages: 1, maxWaitTimeInMs: 1000 }),
      );
    }),
    law("a receiver that waits stops waiting when it is closed", async (trial) => {
      const queue = await trial.createQueue();
      const receiver = trial.receiver(queue);
      const pending = receiver
        .receive({ maxMessages: 1, maxWaitTimeInMs: 600_000 })
        .catch((error: unknown) => {
          assert.ok(error instanceof WaybillError && error.code === "closed", String(error));
          return [];
        });
      await receiver.close();
      const startMs = trial.now().getTime();
      assert.deepEqual(await trial.ended(pending, 600_000), []);
      assert.ok(trial.now().getTime() - startMs < 600_000, "it did not wait to the end");
    }),
  ];
}

function missingEntityCases(subject: TransportSubject): Case[] {
  const missing = "no-such-queue";
  const law = (
    name: string,
    call: (trial: TransportTrial) => Promise<unknown>,
    ...needs: Operation["needs"][number][]
  ) =>
    transportCase(
      subject,
      `lifecycle: ${name} rejects with entity-not-found when there is no such entity`,
      (trial) => rejectsWith("entity-not-found", () => call(trial), name),
      ...needs,
    );
  return [
    law("send", (trial) => trial.transport.createSender(missing).send([message("lamp")])),
    law(
      "schedule",
      (trial) => trial.transport.createSender(missing).schedule([message("lamp")], new Date(trial.now())),
      "scheduling",
    ),
    law("receive", (trial) => trial.receiver(missing).receive({ maxMessages: 1, maxWaitTimeInMs: 1000 })),
    law("peek", (trial) => trial.receiver(missing).peek({ maxMessages: 1 })),
    law("receive from a subscription", async (trial) => {
      const topic = await trial.createTopic([]);
      const receiver = trial.receiver({ topic, subscription: "no-such-subscription" });
      return receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 1000 });
    }),
    law(
      "acceptSession",
      (trial) =>
        trial.transport.acceptSession({ queue: missing }, "ada", {
          receiveMode: "peekLock",
          maxWaitTimeInMs: 1000,
        }),
      "sessions",
    ),
    law("listRules", (trial) => trial.transport.createRuleManager(missing, "billing").listRules(), "rules"),
  ];
}

/** Fails unless a message still travels. */
async function assertUsable(trial: TransportTrial): Promise<void> {
  const queue = await trial.createQueue();
  await trial.sendAndReceive(queue, trial.receiver(queue));
}
