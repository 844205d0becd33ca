import { createPipeline, type EncodedMessage, type Transport } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, expect, it } from "vitest";
import { takeCensus } from "../census/take-census.js";
import { openFixture, replaced } from "../fixture.test-support.js";
import { dyingProcess, whileTimePasses } from "./dying-process.test-support.js";
import type { ItemState } from "./item-state.js";
import { runWorker } from "./run-worker.js";
import { shareCensus } from "./share-census.js";
import { shareRepair } from "./share-repair.js";
import { WorkQueue } from "./work-queue.js";

const pipeline = createPipeline({ serializer: json(), additionalDeserializers: [msgpack()] });
const order = (id: number, contentType?: string): EncodedMessage => ({
  ...(pipeline.serialize({ body: { id }, contentType, subject: "order-placed" }) as EncodedMessage),
  messageId: String(id),
});

type Namespace = Awaited<ReturnType<typeof openNamespace>>;

/** A namespace with a work queue and three queues, of which the first forwards its dead letters to the last. */
async function openNamespace(messagesEach = 3) {
  const fixture = openFixture();
  await fixture.broker.createQueue("jobs", { requiresSession: true, lockDurationMs: 5_000 });
  await fixture.broker.createQueue("errors");
  await fixture.broker.createQueue("orders", { forwardDeadLetteredMessagesTo: "errors" });
  await fixture.broker.createQueue("invoices");
  for (const queue of ["orders", "invoices"]) {
    for (let id = 0; id < messagesEach; id++)
      await fixture.send(queue, order(id, id % 2 === 0 ? undefined : "application/vnd.msgpack"));
    await fixture.deadLetter({ queue });
  }
  const shared = (transport: Transport = fixture.transport) => ({
    transport,
    pipeline,
    workQueue: "jobs",
    catalog: fixture.catalog,
  });
  const work = (transport?: Transport) => {
    const { catalog: _, ...options } = shared(transport);
    return whileTimePasses(fixture.clock, runWorker({ ...options, maxIdleTimeInMs: 6_000 }));
  };
  return {
    ...fixture,
    shared,
    work,
    /** The groups of a census, without the work items, which come and go. */
    census: async (transport?: Transport) => {
      await using taken = await whileTimePasses(fixture.clock, shareCensus(shared(transport)));
      await whileTimePasses(fixture.clock, taken.remove());
      return counted(taken.result.groups);
    },
    alone: async () => counted((await takeCensus({ ...fixture.source, pipeline })).groups),
    [Symbol.asyncDispose]: fixture[Symbol.asyncDispose],
  };
}

function counted(groups: Awaited<ReturnType<typeof takeCensus>>["groups"]) {
  return groups
    .filter(({ isOwnRecord }) => !isOwnRecord)
    .map(({ entityPath, subQueue, serializer, count, bytes, examples }) => {
      return { entityPath, subQueue, serializer, count, bytes, examples };
    })
    .sort((one, two) => JSON.stringify(one, text).localeCompare(JSON.stringify(two, text)));
}

function text(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

/**
 * Kills a process at its first call to the broker, in another namespace at its second, and so on until it ends before it dies; after each
 * death `check` looks at what the others make of it. Returns the number of deaths.
 */
async function afterEachDeath(
  work: (namespace: Namespace, transport: Transport) => Promise<unknown>,
  check: (namespace: Namespace) => Promise<void>,
  prepare: (namespace: Namespace) => Promise<unknown> = async () => {},
): Promise<number> {
  for (let call = 1; ; call++) {
    await using namespace = await openNamespace();
    await prepare(namespace);
    const { transport, death } = dyingProcess(namespace, call);
    const ended = await whileTimePasses(namespace.clock, Promise.race([death, work(namespace, transport)]));
    await check(namespace);
    if (ended !== "died") return call - 1;
  }
}

describe("a shared census", () => {
  it("is the census that one process takes", async () => {
    await using namespace = await openNamespace();
    await using shared = await whileTimePasses(namespace.clock, shareCensus(namespace.shared()));
    const alone = await takeCensus({ ...namespace.source, pipeline });
    expect(counted(shared.result.groups)).toEqual(counted(alone.groups));
    expect(shared.result.serializers).toEqual(alone.serializers);
    expect(shared.result.places).toHaveLength(alone.places.length);
    expect(shared.result.places.every(({ end }) => end === "reached")).toBe(true);
  });

  it("is taken by every worker of the queue, wherever the one who asks is", async () => {
    await using namespace = await openNamespace();
    const finished: string[] = [];
    const controller = new AbortController();
    const { catalog: _, ...options } = namespace.shared();
    const working = runWorker({
      ...options,
      abortSignal: controller.signal,
      onFinished: ({ path }) => finished.push(path),
    });
    const asked = await namespace.census();
    controller.abort();
    await whileTimePasses(namespace.clock, working);
    expect(asked).toEqual(await namespace.alone());
    expect(finished).not.toEqual([]);
  });

  it("counts every message once, wherever a worker is killed", async () => {
    const deaths = await afterEachDeath(
      ({ shared }, transport) => {
        const { catalog: _, ...options } = shared(transport);
        return runWorker({ ...options, maxIdleTimeInMs: 6_000 });
      },
      async ({ census, alone }) => expect(await census()).toEqual(await alone()),
      // Somebody asks and is killed when the items are in the queue: all is left to the worker.
      (namespace) => {
        const { transport, death } = dyingProcess(namespace, 6);
        void shareCensus(namespace.shared(transport));
        return whileTimePasses(namespace.clock, death);
      },
    );
    expect(deaths).toBeGreaterThan(20);
  });

  it("counts every message once, wherever the one who asks is killed, and leaves nothing in the queue", async () => {
    const deaths = await afterEachDeath(
      ({ census }, transport) => census(transport),
      async ({ census, alone, work }) => {
        expect(await census()).toEqual(await alone());
        expect(await work()).toBe(0);
      },
    );
    expect(deaths).toBeGreaterThan(50);
  });
});

describe("a worker", () => {
  it("refuses a job for another chain, and leaves it to the others", async () => {
    await using namespace = await openNamespace();
    const { transport, death } = dyingProcess(namespace, 6);
    void shareCensus(namespace.shared(transport));
    await whileTimePasses(namespace.clock, death);
    const { catalog: _, ...options } = namespace.shared();
    const other = createPipeline({ serializer: json() });
    await expect(runWorker({ ...options, pipeline: other })).rejects.toMatchObject({
      code: "configuration-invalid",
      text: expect.stringContaining(
        "is for the chain json, msgpack with no message types, and this worker has json",
      ),
    });
    expect(await namespace.census()).toEqual(await namespace.alone());
  });

  it("gives up an item that has ended one worker after the other, and names its places", async () => {
    await using namespace = await openNamespace();
    const { transport, death } = dyingProcess(namespace, 6);
    void shareCensus(namespace.shared(transport));
    await whileTimePasses(namespace.clock, death);
    const items = namespace.transport.createReceiver({ queue: "jobs" }, "peekLock");
    const [item] = await items.peek({ maxMessages: 1 });
    const lease = await new WorkQueue(namespace.transport, "jobs").lock<ItemState>(item?.sessionId ?? "", {});
    await lease?.write({ attempts: 20 });
    await lease?.[Symbol.asyncDispose]();
    await using shared = await whileTimePasses(namespace.clock, shareCensus(namespace.shared()));
    const failed = shared.result.places.filter(({ end }) => end === "failed");
    expect(new Set(failed.map(({ entityPath }) => entityPath)).size).toBe(1);
    expect(failed[0]?.error?.text).toContain("20 workers ended while they worked on this");
  });

  it("works on as many items at once as it is told, and on one by default", async () => {
    await using namespace = await openNamespace();
    const mostAtOnce = async (maxConcurrentItems?: number) => {
      const { transport, death } = dyingProcess(namespace, 6);
      void shareCensus({ ...namespace.shared(transport), job: `at-once-${maxConcurrentItems}` });
      await whileTimePasses(namespace.clock, death);
      const { catalog: _, ...options } = namespace.shared();
      let held = 0;
      let most = 0;
      const counting = replaced(namespace.transport, {
        async acceptSession(...args) {
          const session = await namespace.transport.acceptSession(...args);
          most = Math.max(most, ++held);
          const close = () => {
            held--;
            return session.close();
          };
          return replaced(session, { close });
        },
      });
      const working = runWorker({
        ...options,
        transport: counting,
        maxConcurrentItems,
        maxIdleTimeInMs: 6_000,
      });
      await whileTimePasses(namespace.clock, working);
      return most;
    };
    expect(await mostAtOnce()).toBe(1);
    expect(await mostAtOnce(3)).toBe(3);
  });

  it("dead-letters a message that is no work item", async () => {
    await using namespace = await openNamespace();
    await namespace.send("jobs", { ...order(1), sessionId: "somebody's" });
    await namespace.work();
    const dead = namespace.transport.createReceiver({ queue: "jobs", subQueue: "deadLetter" }, "peekLock");
    expect(await dead.peek({ maxMessages: 10 })).toMatchObject([{ deadLetterReason: "NotAWorkItem" }]);
  });

  it("goes on from what a worker before it had counted", async () => {
    await using namespace = await openNamespace(0);
    await namespace.transport
      .createSender("invoices")
      .send(Array.from({ length: 1_500 }, (_, id) => order(id)));
    const controller = new AbortController();
    let read = 0;
    // Each message takes a hundredth of a second, so that what was counted is saved every two hundred.
    const originOf = () => {
      if (++read === 1_000) controller.abort();
      namespace.clock.advance(10);
      return undefined;
    };
    const first = shareCensus({
      ...namespace.shared(),
      originOf,
      abortSignal: controller.signal,
      entities: ["invoices"],
    });
    await expect(first).rejects.toMatchObject({ code: "aborted" });
    const before = read;
    await using shared = await whileTimePasses(
      namespace.clock,
      shareCensus({ ...namespace.shared(), originOf, entities: ["invoices"] }),
    );
    expect(counted(shared.result.groups)).toMatchObject([{ count: 1_500 }]);
    expect(read - before).toBeLessThan(1_500);
  });
});

describe("a shared repair", () => {
  it("sends every message once, or says so, wherever a worker is killed", async () => {
    const queues = ["plain", "deduplicating"];
    const repair = ({ shared }: Namespace, transport?: Transport) => {
      const { catalog: _, ...options } = shared(transport);
      return shareRepair({
        ...options,
        from: queues.map((queue) => ({ queue })),
        detectsDuplicates: (from) => "queue" in from && from.queue === "deduplicating",
        repair: { maxWaitTimeInMs: 0 },
      });
    };
    const deaths = await afterEachDeath(
      repair,
      async (namespace) => {
        await using shared = await whileTimePasses(namespace.clock, repair(namespace));
        for (const [at, queue] of queues.entries()) {
          const repaired = shared.result[at]?.repaired;
          expect(repaired?.resubmitted).toBe(5);
          const receiver = namespace.transport.createReceiver({ queue }, "peekLock");
          const ids = (await receiver.peek({ maxMessages: 100 })).map(({ messageId }) => messageId);
          expect(new Set(ids).size).toBe(5);
          expect(ids.length - 5).toBeLessThanOrEqual(repaired?.possibleDuplicates.length ?? 0);
          if (queue === "deduplicating") expect(ids).toHaveLength(5);
        }
      },
      async ({ broker, send, deadLetter }) => {
        for (const queue of queues) {
          await broker.createQueue(queue, {
            lockDurationMs: 5_000,
            requiresDuplicateDetection: queue === "deduplicating",
          });
          for (let id = 0; id < 5; id++) {
            await send(queue, order(id));
            await deadLetter({ queue });
          }
        }
      },
    );
    expect(deaths).toBeGreaterThan(20);
  });

  it("is done by every worker of the queue, wherever the one who asks is", async () => {
    await using namespace = await openNamespace();
    const { transport, death } = dyingProcess(namespace, 4);
    const { catalog: _, ...shared } = namespace.shared(transport);
    void shareRepair({ ...shared, from: [{ queue: "invoices" }], repair: { maxWaitTimeInMs: 0 } });
    await whileTimePasses(namespace.clock, death);
    expect(await namespace.work()).toBe(1);
    const dead = namespace.transport.createReceiver(
      { queue: "invoices", subQueue: "deadLetter" },
      "peekLock",
    );
    expect(await dead.peek({ maxMessages: 10 })).toEqual([]);
  });

  it("is not continued with other options than it was begun with", async () => {
    await using namespace = await openNamespace();
    const { transport, death } = dyingProcess(namespace, 4);
    const repair = (of: Transport | undefined, maxResubmits: number) => {
      const { catalog: _, ...shared } = namespace.shared(of);
      return shareRepair({ ...shared, from: [{ queue: "invoices" }], repair: { maxResubmits } });
    };
    void repair(transport, 3);
    await whileTimePasses(namespace.clock, death);
    await expect(whileTimePasses(namespace.clock, repair(undefined, 4))).rejects.toMatchObject({
      code: "configuration-invalid",
      text: expect.stringContaining("that was asked for with other options or for another chain"),
    });
  });

  it("waits until the locks of a receiver that has ended expire", async () => {
    await using namespace = await openNamespace();
    const dead = namespace.transport.createReceiver(
      { queue: "invoices", subQueue: "deadLetter" },
      "peekLock",
    );
    await dead.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    const { catalog: _, ...shared } = namespace.shared();
    const repairing = shareRepair({
      ...shared,
      from: [{ queue: "invoices" }],
      repair: { maxWaitTimeInMs: 0 },
    });
    await using repair = await whileTimePasses(namespace.clock, repairing);
    expect(repair.result[0]?.repaired).toEqual({ resubmitted: 1, skipped: {}, possibleDuplicates: [] });
  });

  it("says which messages another receiver keeps locked, and until when", async () => {
    await using namespace = await openNamespace();
    const dead = namespace.transport.createReceiver(
      { queue: "invoices", subQueue: "deadLetter" },
      "peekLock",
    );
    const [message] = await dead.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    const keepLocked = () => {
      namespace.transport.scheduler?.schedule(30_000, () => {
        void dead.renewLock(message?.settlement ?? {}).then(keepLocked);
      });
    };
    keepLocked();
    const { catalog: _, ...shared } = namespace.shared();
    const repairing = shareRepair({
      ...shared,
      from: [{ queue: "invoices" }],
      repair: { maxWaitTimeInMs: 0 },
    });
    await using repair = await whileTimePasses(namespace.clock, repairing);
    expect(repair.result[0]?.repaired).toMatchObject({
      resubmitted: 0,
      locked: { count: 1, examples: [message?.sequenceNumber], until: expect.any(Date) },
    });
  });

  it("is removed from the queue without waiting for messages that are not there", async () => {
    await using namespace = await openNamespace();
    const { catalog: _, ...shared } = namespace.shared();
    await using repair = await whileTimePasses(
      namespace.clock,
      shareRepair({ ...shared, from: [{ queue: "invoices" }], repair: { maxWaitTimeInMs: 0 } }),
    );
    await repair.remove();
    expect(await namespace.work()).toBe(0);
  });

  it("names what could not be repaired, and why", async () => {
    await using namespace = await openNamespace();
    const { catalog: _, ...shared } = namespace.shared();
    await using repair = await whileTimePasses(
      namespace.clock,
      shareRepair({ ...shared, from: [{ queue: "orders" }, { queue: "invoices" }, { queue: "nowhere" }] }),
    );
    expect(
      repair.result.map(({ from, repaired, error }) => [from, repaired?.resubmitted, error?.code]),
    ).toEqual([
      ["orders/$DeadLetterQueue", 0, undefined],
      ["invoices/$DeadLetterQueue", 1, undefined],
      ["nowhere/$DeadLetterQueue", undefined, "entity-not-found"],
    ]);
  });
});
