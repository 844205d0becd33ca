import { createPipeline, type EncodedMessage, type Transport, WaybillError } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { openFixture, replaced } from "../fixture.test-support.js";
import { whileTimePasses } from "./dying-process.test-support.js";
import { Lease } from "./lease.js";
import { runWorker } from "./run-worker.js";
import { type ShareCensusOptions, shareCensus } from "./share-census.js";
import { type ShareRepairOptions, shareRepair } from "./share-repair.js";
import { WorkQueue } from "./work-queue.js";

const pipeline = createPipeline({ serializer: json() });
const order = pipeline.serialize({ body: { id: 1 } }) as EncodedMessage;
const away = new WaybillError("connection-lost", "The broker is away.");

async function openJobs() {
  const fixture = openFixture();
  await fixture.broker.createQueue("jobs", { requiresSession: true, lockDurationMs: 5_000 });
  for (const queue of ["orders", "invoices"]) {
    await fixture.broker.createQueue(queue);
    await fixture.send(queue, order);
    await fixture.deadLetter({ queue });
  }
  const shared = { transport: fixture.transport, pipeline, workQueue: "jobs" };
  return {
    ...fixture,
    shared,
    repair: (more: Partial<ShareRepairOptions> = {}) =>
      shareRepair({
        ...{ ...shared, from: [{ queue: "orders" }, { queue: "invoices" }], repair: { maxWaitTimeInMs: 0 } },
        ...more,
      }),
    census: (more: Partial<ShareCensusOptions> = {}) =>
      shareCensus({ ...shared, catalog: fixture.catalog, ...more }),
    [Symbol.asyncDispose]: fixture[Symbol.asyncDispose],
  };
}

describe("a shared job", () => {
  it("is asked for by one process at a time", async () => {
    await using jobs = await openJobs();
    await using _ = await whileTimePasses(jobs.clock, jobs.repair());
    await expect(whileTimePasses(jobs.clock, jobs.repair())).rejects.toMatchObject({
      code: "session-cannot-be-locked",
      text: 'Another process is asking for the job "repair".',
      entityPath: "jobs",
    });
    await using other = await whileTimePasses(jobs.clock, jobs.repair({ job: "second" }));
    expect(other.result).toHaveLength(2);
  });

  it("rejects as the broker does when its queue cannot be reached", async () => {
    await using jobs = await openJobs();
    const transport = replaced(jobs.transport, { acceptSession: () => Promise.reject(away) });
    await expect(jobs.repair({ transport })).rejects.toBe(away);
    await expect(jobs.census({ transport })).rejects.toBe(away);
  });

  it("ends when it is aborted, and another one can ask at once", async () => {
    await using jobs = await openJobs();
    for (const ask of [jobs.repair, jobs.census]) {
      const controller = new AbortController();
      const seen: number[] = [];
      const asked = ask({
        abortSignal: controller.signal,
        onItems({ finished, items }) {
          seen.push(finished, items);
          controller.abort();
        },
      });
      await expect(asked).rejects.toMatchObject({ code: "aborted" });
      expect(seen).toEqual([1, ask === jobs.repair ? 2 : 3]);
      const resumed: Date[] = [];
      await using again = await ask({ onResumed: (startedAt) => resumed.push(startedAt) });
      expect(again.result).toBeDefined();
      expect(resumed).toEqual([jobs.now()]);
      await again.remove();
    }
  });

  it("is given up for another one if that is wanted", async () => {
    await using jobs = await openJobs();
    const controller = new AbortController();
    const stopped = jobs.repair({ abortSignal: controller.signal, onItems: () => controller.abort() });
    await expect(stopped).rejects.toMatchObject({ code: "aborted" });
    const resumed: Date[] = [];
    await using fresh = await jobs.repair({
      ...{ interrupted: "replace", repair: { maxWaitTimeInMs: 0, maxResubmits: 1 } },
      onResumed: (at) => resumed.push(at),
    });
    expect(resumed).toEqual([]);
    expect(fresh.result.map(({ repaired }) => repaired?.resubmitted)).toEqual([1, 0]);
  });

  it.each(["", "a/b", "a".repeat(81)])('refuses the name "%s"', async (job) => {
    await using jobs = await openJobs();
    await expect(jobs.repair({ job })).rejects.toThrow(
      new TypeError("job must be 1 to 80 letters, digits, dots, underscores and hyphens."),
    );
  });

  it("refuses invalid options", async () => {
    await using jobs = await openJobs();
    await expect(jobs.repair({ maxConcurrentItems: 0 })).rejects.toThrow("maxConcurrentItems must be");
    await expect(jobs.repair({ misspelt: 1 } as never)).rejects.toThrow('there is no option "misspelt"');
    await expect(jobs.census({ misspelt: 1 } as never)).rejects.toThrow('there is no option "misspelt"');
    await expect(jobs.census({ sampleRate: 2 })).rejects.toThrow("sampleRate");
    await expect(jobs.census({ maxMessagesPerPlace: 0 })).rejects.toThrow(
      new TypeError("maxMessagesPerPlace must be at least 1, not 0."),
    );
    await expect(jobs.census({ maxGroupsPerEntity: Number.NaN })).rejects.toThrow(
      new TypeError("maxGroupsPerEntity must be at least 1, not NaN."),
    );
    const { shared } = jobs;
    await expect(runWorker({ ...shared, maxConcurrentItems: 0 })).rejects.toThrow(
      "maxConcurrentItems must be",
    );
    await expect(runWorker({ ...shared, maxIdleTimeInMs: -1 })).rejects.toThrow("maxIdleTimeInMs must be");
    await expect(runWorker({ ...shared, misspelt: 1 } as never)).rejects.toThrow('no option "misspelt"');
  });
});

describe("a worker", () => {
  it("tries again two seconds after a failure of the broker that may pass, and says what it was", async () => {
    await using jobs = await openJobs();
    const calls: number[] = [];
    const acceptSession: Transport["acceptSession"] = (...how) => {
      calls.push(jobs.clock.now());
      return calls.length === 2 ? Promise.reject(away) : jobs.transport.acceptSession(...how);
    };
    const errors: unknown[] = [];
    const working = runWorker({
      ...{ ...jobs.shared, transport: replaced(jobs.transport, { acceptSession }), maxIdleTimeInMs: 25_000 },
      onError: (error) => errors.push(error),
    });
    await whileTimePasses(jobs.clock, working);
    expect(errors).toEqual([away]);
    expect((calls[2] ?? 0) - (calls[1] ?? 0)).toBe(2_000);
  });

  it("rejects if its first call fails", async () => {
    await using jobs = await openJobs();
    const transport = replaced(jobs.transport, { acceptSession: () => Promise.reject(away) });
    await expect(runWorker({ ...jobs.shared, transport })).rejects.toBe(away);
  });
});

describe("a lease", () => {
  it("outlasts failures of the broker that pass before its lock expires, and no others", async () => {
    await using jobs = await openJobs();
    const session = (await new WorkQueue(jobs.transport, "jobs").lock("item", {}))?.session;
    if (session === undefined) throw new Error("Somebody else holds the lock.");
    let error = away;
    let failures = 1;
    const renewSessionLock = () => (failures-- > 0 ? Promise.reject(error) : session.renewSessionLock());
    const { scheduler } = jobs.transport;
    if (scheduler === undefined) throw new Error("There is no clock.");
    const passTime = (ms: number) => {
      const over = new Promise<void>((resolve) => void scheduler.schedule(ms, resolve));
      return whileTimePasses(jobs.clock, over);
    };
    const open = () => new Lease(replaced(session, { renewSessionLock }), scheduler);
    const lease = open();
    await passTime(20_000);
    expect(lease.signal.aborted).toBe(false);
    failures = 100;
    await passTime(20_000);
    expect(lease.signal.reason).toBe(away);
    failures = 2;
    const sessionLockedUntilUtc = new Date(jobs.clock.now() + 1_000);
    const short = new Lease(replaced(session, { renewSessionLock, sessionLockedUntilUtc }), scheduler);
    await passTime(1_000);
    expect(short.signal.reason).toBe(away);
    failures = 100;
    error = new WaybillError("unauthorized", "Not any more.");
    const refused = open();
    await passTime(10_000);
    expect(refused.signal.reason).toBe(error);
  });
});
