import { expect, it } from "vitest";
import { openFixture } from "../fixture.test-support.js";
import { whileTimePasses } from "./dying-process.test-support.js";
import type { ItemState } from "./item-state.js";
import { WorkQueue } from "./work-queue.js";

async function openQueue() {
  const fixture = openFixture();
  await fixture.broker.createQueue("jobs", { requiresSession: true, lockDurationMs: 5_000 });
  const queue = new WorkQueue(fixture.transport, "jobs");
  const lock = async () => {
    const lease = await queue.lock<ItemState>("item", {});
    if (lease === undefined) throw new Error("Somebody else holds the lock.");
    return lease;
  };
  return { ...fixture, queue, lock, [Symbol.asyncDispose]: fixture[Symbol.asyncDispose] };
}

it("keeps its lock for as long as it lives", async () => {
  await using fixture = await openQueue();
  await using lease = await fixture.lock();
  const aMinute = new Promise<void>((resolve) => void fixture.transport.scheduler?.schedule(60_000, resolve));
  await whileTimePasses(fixture.clock, aMinute);
  expect(await fixture.queue.lock("item", {})).toBeUndefined();
  await lease.write({ attempts: 1 });
  expect(lease.signal.aborted).toBe(false);
});

it("cannot write after its process was stopped and somebody else took over", async () => {
  await using fixture = await openQueue();
  await using stopped = await fixture.lock();
  // In one step: the process does not run meanwhile.
  fixture.clock.advance(60_000);
  await using successor = await fixture.lock();
  await successor.write({ attempts: 1, result: "right" });
  const late = stopped.write({ attempts: 1, result: "late" });
  await expect(late).rejects.toMatchObject({ code: "session-lock-lost" });
  expect(await successor.read()).toEqual({ attempts: 1, result: "right" });
});

it("refuses a state that somebody else has written", async () => {
  await using fixture = await openQueue();
  await using lease = await fixture.lock();
  await lease.session.setState(new TextEncoder().encode("{}"));
  await expect(lease.read()).rejects.toMatchObject({
    code: "operation-invalid",
    text: 'The state of session "item" is none of shared work: give shared work a queue of its own.',
  });
});
