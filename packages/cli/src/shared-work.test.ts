import { describe, expect, it } from "vitest";
import {
  encoded,
  environments,
  fill,
  openServerEnvironment,
  runCommand,
  waiting,
} from "./environments.test-support.js";

interface PrintedGroup {
  readonly entityPath: string;
  readonly isOwnRecord: boolean;
}

const groupsOf = ({ groups }: { readonly groups: readonly PrintedGroup[] }) =>
  groups.filter(({ isOwnRecord }) => !isOwnRecord);

describe.each(environments)("work that is shared through a queue, in $name", ({ open }) => {
  it("makes the census of one process, and leaves nothing behind", async () => {
    await using environment = await open();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("jobs", { requiresSession: true });
      for (const queue of ["orders", "invoices"]) {
        await broker.createQueue(queue);
        await fill(broker, queue, [encoded({ id: 1 }), encoded({ id: 2 }, "msgpack")]);
      }
    });
    const alone = await environment.run(["census", "--json"]);
    const shared = await environment.run(["census", "--json", "--work-queue", "jobs", "--job", "monday"]);
    expect(shared).toMatchObject({ exitCode: 0, stderr: "" });
    expect(groupsOf(shared.json())).toEqual(groupsOf(alone.json()));
    const jobs = await environment.withBroker((broker) => waiting(broker, { queue: "jobs" }));
    expect(jobs).toEqual([]);
  });

  it("repairs many dead-letter queues, each to the queue of its messages", async () => {
    await using environment = await open();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("jobs", { requiresSession: true });
      await broker.createQueue("empty");
      for (const queue of ["orders", "invoices"]) {
        await broker.createQueue(queue);
        await fill(broker, queue, [encoded({ id: 1 }), encoded({ id: 2 })], "Poison");
      }
    });
    const repair = ["dead-letters", "repair-all", "--work-queue", "jobs", "--wait", "100ms"];
    const rehearsed = await environment.run([...repair, "--no-json"]);
    expect(rehearsed.stdout).toContain("4 dead letters would be sent again. To do it: --apply");
    const applied = await environment.run([...repair, "--apply"]);
    expect(applied.exitCode).toBe(0);
    expect(applied.json()).toMatchObject({
      isApplied: true,
      queues: expect.arrayContaining([
        {
          from: "orders/$DeadLetterQueue",
          repaired: { resubmitted: 2, skipped: {}, possibleDuplicates: [] },
        },
        { from: "empty/$DeadLetterQueue", repaired: { resubmitted: 0, skipped: {}, possibleDuplicates: [] } },
      ]),
    });
    await environment.withBroker(async (broker) => {
      for (const queue of ["orders", "invoices"]) expect(await waiting(broker, { queue })).toHaveLength(2);
    });
  });
});

describe("waybill worker", () => {
  it("works for whoever asks, and ends when it has been idle for long enough", async () => {
    await using environment = await openServerEnvironment();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("jobs", { requiresSession: true });
      for (let queue = 0; queue < 30; queue++) {
        await broker.createQueue(`queue-${queue}`);
        await fill(broker, `queue-${queue}`, [encoded({ id: queue })]);
      }
    });
    const fresh = { isFresh: true };
    const [working, asked] = await Promise.all([
      environment.run(["worker", "--work-queue", "jobs", "--idle", "3s"], fresh),
      environment.run(["census", "--json", "--work-queue", "jobs"], fresh),
    ]);
    expect(working).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^Ready for work in jobs\.\n\d+ items? finished\.\n$/),
    });
    expect(groupsOf(asked.json())).toHaveLength(30);
  });

  it("says what is wrong with a queue that has no sessions, or with options that need a queue", async () => {
    await using environment = await openServerEnvironment();
    await environment.withBroker((broker) => broker.createQueue("jobs"));
    const worker = await environment.run(["worker", "--work-queue", "jobs", "--idle", "1s"]);
    expect(worker.stderr).toContain("session");
    expect(worker.exitCode).toBe(2);
    expect(await runCommand(["census", "--job", "monday", "--data", "."])).toMatchObject({
      exitCode: 2,
    });
  });
});
