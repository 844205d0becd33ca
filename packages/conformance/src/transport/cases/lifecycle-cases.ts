import assert from "node:assert/strict";
import { WaybillError } from "@waybill/core";
import { required } from "@waybill/foundation";
import type { Case } from "../../case.js";
import { outcomeOf, rejectsWith } from "../../outcome.js";
import { type Operation, operations } from "../harness/operations.js";
import { message, type TransportHarness, transportCase } from "../harness/transport-harness.js";
import type { TransportSubject } from "../harness/transport-subject.js";

/** What every operation does after its transport or object was closed, after an abort, and after its lock was lost. */
export function lifecycleCases(subject: TransportSubject): Case[] {
  return [
    ...operations.flatMap((operation) => operationCases(subject, operation)),
    ...closingCases(subject),
    ...missingEntityCases(subject),
  ];
}

function operationCases(subject: TransportSubject, operation: Operation): Case[] {
  const { name, needs, lock } = operation;
  const lifecycleCase = transportCase(subject, "lifecycle", ...needs);
  const testCase = (circumstance: string, run: Parameters<typeof lifecycleCase>[1]) =>
    lifecycleCase(`${name} ${circumstance}`, run);
  const cases = [
    testCase("rejects with closed when the transport is closed", async (harness) => {
      const { call } = await operation.prepare(harness);
      await harness.transport.close();
      await rejectsWith("closed", () => call({}), name);
    }),
    testCase("rejects with aborted if its signal is already aborted", async (harness) => {
      const { call } = await operation.prepare(harness);
      await rejectsWith("aborted", () => call({ abortSignal: AbortSignal.abort() }), name);
      assert.equal(await outcomeOf(() => call({})), undefined, `${name} had no effect, and works afterwards`);
    }),
    testCase("ends with its result or aborted if its signal aborts meanwhile", async (harness) => {
      const { call } = await operation.prepare(harness);
      const givingUp = new AbortController();
      const pending = outcomeOf(() => call({ abortSignal: givingUp.signal }));
      givingUp.abort();
      const error = await harness.ended(pending, 10_000);
      if (error !== undefined) await rejectsWith("aborted", () => Promise.reject(error), name);
      await assertUsable(harness);
    }),
    testCase("works with a signal that never aborts", async (harness) => {
      const { call } = await operation.prepare(harness);
      await call({ abortSignal: new AbortController().signal });
    }),
  ];
  if (name !== "acceptSession")
    cases.push(
      testCase("rejects with closed when its sender, receiver or session is closed", async (harness) => {
        const { call, owner } = await operation.prepare(harness);
        await required(owner).close();
        await rejectsWith("closed", () => call({}), name);
        await assertUsable(harness);
      }),
    );
  if (lock !== undefined)
    cases.push(
      testCase(`rejects with ${lock}-lock-lost when its lock was lost`, async (harness) => {
        const { call } = await operation.prepare(harness);
        await harness.outlastLocks();
        await rejectsWith(`${lock}-lock-lost`, () => call({}), name);
      }),
    );
  return cases;
}

function closingCases(subject: TransportSubject): Case[] {
  const testCase = transportCase(subject, "lifecycle");
  return [
    testCase("the transport declares the capabilities that its subject does", async (harness) => {
      assert.deepEqual([...harness.transport.capabilities].sort(), [...subject.capabilities].sort());
    }),
    testCase("senders and receivers have their entity's path", async (harness) => {
      const queue = await harness.createQueue();
      assert.equal(harness.transport.createSender(queue).entityPath, queue);
      assert.ok(harness.receiver(queue).entityPath.startsWith(queue));
      assert.equal(harness.receiver(queue).receiveMode, "peekLock");
      assert.notEqual(harness.deadLetterReceiver(queue).entityPath, queue);
    }),
    testCase(
      "creating a sender or receiver for an entity that does not exist is not an error",
      async (harness) => {
        await harness.transport.createSender("no-such-queue").close();
        await harness.receiver("no-such-queue").close();
      },
    ),
    testCase("closing twice has no effect", async (harness) => {
      const queue = await harness.createQueue();
      const sender = harness.transport.createSender(queue);
      const receiver = harness.receiver(queue);
      await Promise.all([sender.close(), sender.close(), receiver.close(), receiver.close()]);
      await sender.close();
      await harness.transport.close();
      await harness.transport.close();
      await harness.transport[Symbol.asyncDispose]();
      await receiver.close();
    }),
    testCase("senders and receivers that are created on a closed transport are closed", async (harness) => {
      const queue = await harness.createQueue();
      await harness.transport.close();
      await rejectsWith("closed", async () => harness.transport.createSender(queue).send([message("lamp")]));
      await rejectsWith("closed", async () =>
        harness.receiver(queue).receive({ maxMessages: 1, maxWaitTimeInMs: 1000 }),
      );
    }),
    testCase("a receiver that waits stops waiting when it is closed", async (harness) => {
      const { receiver } = await harness.queueWithReceiver();
      const pending = receiver
        .receive({ maxMessages: 1, maxWaitTimeInMs: 600_000 })
        .catch((error: unknown) => {
          assert.ok(error instanceof WaybillError && error.code === "closed", String(error));
          return [];
        });
      await receiver.close();
      const startMs = harness.now().getTime();
      assert.deepEqual(await harness.ended(pending, 600_000), []);
      assert.ok(harness.now().getTime() - startMs < 600_000, "it did not wait to the end");
    }),
  ];
}

function missingEntityCases(subject: TransportSubject): Case[] {
  const missing = "no-such-queue";
  const testCase = (
    name: string,
    call: (harness: TransportHarness) => Promise<unknown>,
    ...needs: Operation["needs"][number][]
  ) =>
    transportCase(
      subject,
      "lifecycle",
      ...needs,
    )(`${name} rejects with entity-not-found when there is no such entity`, (harness) =>
      rejectsWith("entity-not-found", () => call(harness), name),
    );
  return [
    testCase("send", (harness) => harness.transport.createSender(missing).send([message("lamp")])),
    testCase(
      "schedule",
      (harness) =>
        harness.transport.createSender(missing).schedule([message("lamp")], new Date(harness.now())),
      "scheduling",
    ),
    testCase("receive", (harness) =>
      harness.receiver(missing).receive({ maxMessages: 1, maxWaitTimeInMs: 1000 }),
    ),
    testCase("peek", (harness) => harness.receiver(missing).peek({ maxMessages: 1 })),
    testCase("receive from a subscription", async (harness) => {
      const topic = await harness.createTopic([]);
      const receiver = harness.receiver({ topic, subscription: "no-such-subscription" });
      return receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 1000 });
    }),
    testCase(
      "acceptSession",
      (harness) => harness.acceptSession(missing, "ada", { maxWaitTimeInMs: 1000 }),
      "sessions",
    ),
    testCase(
      "listRules",
      (harness) => harness.transport.createRuleManager(missing, "billing").listRules(),
      "rules",
    ),
  ];
}

/** Fails unless a message can still be sent and received. */
async function assertUsable(harness: TransportHarness): Promise<void> {
  const queue = await harness.createQueue();
  await harness.sendAndReceive(queue, harness.receiver(queue));
}
