import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { command, durableCommand, fixture } from "../test/model/command.js";
import { playHistory } from "../test/model/history.js";
import { packing } from "./collections/page.js";
import { createDisk, openDisk } from "./storage/restartable-storage.test-support.js";

/**
 * `pnpm reliability soak` sets both, and plays millions of commands from new seeds; a seed that fails there fails here with the same
 * counterexample. By default they are the same commands in every run.
 */
const { WAYBILL_MODEL_COMMANDS: modelCommands = "6000", WAYBILL_MODEL_SEED: modelSeed = "1" } = process.env;
const wantedCommands = Number(modelCommands);
const firstSeed = Number(modelSeed);
/** Only for hangs: a busy machine is slow. */
const timeoutMs = 60_000 + wantedCommands * 20;

/** Maximum time to shrink a counterexample, from when it was found. */
const shrinkingMs = 30_000;

/** Runs random histories up to a number of commands; returns every kind of event that occurred. */
async function playRandom(
  wanted: number,
  step: typeof command,
  play: (...history: Parameters<typeof playHistory>) => ReturnType<typeof playHistory>,
): Promise<Set<string>> {
  const seen = new Set<string>();
  const history = fc.array(step, { maxLength: 200, size: "max" });
  let played = 0;
  for (let seed = firstSeed; played < wanted; seed++) {
    let foundAtMs: number | undefined;
    const property = fc.asyncProperty(fixture, history, async (net, commands) => {
      if (foundAtMs !== undefined && performance.now() - foundAtMs > shrinkingMs) return;
      try {
        for (const event of await play(net, commands)) seen.add(event);
      } catch (error) {
        foundAtMs ??= performance.now();
        throw error;
      }
      played += commands.length;
    });
    await fc.assert(property, { seed, numRuns: 20 });
  }
  return seen;
}

/** Calls `play` while even short queues are packed. */
async function withSmallPages<Result>(play: () => Promise<Result>): Promise<Result> {
  const usual = { ...packing };
  Object.assign(packing, { pageSize: 2, behind: 1 });
  try {
    return await play();
  } finally {
    Object.assign(packing, usual);
  }
}

const everyEvent = [
  "abandoned",
  "activated",
  "cancelled",
  "completed",
  "dead-lettered DivideByZeroException",
  "dead-lettered FilterException",
  "dead-lettered MaxDeliveryCountExceeded",
  "dead-lettered MaxTransferHopCountExceeded",
  "dead-lettered MessagingEntityDisabled",
  "dead-lettered MessagingEntityNotFound",
  "dead-lettered Session ID is null",
  "dead-lettered TTLExpiredException",
  "deferred",
  "delivered",
  "dropped-as-duplicate",
  "enqueued",
  "entity-created",
  "entity-deleted",
  "entity-updated",
  "expired",
  "forwarded",
  "lock-expired",
  "lock-renewed",
  "purged",
  "scheduled",
  "session-accepted",
  "session-released",
];

/** Histories on which the two once differed. */
const found: readonly (readonly [string, Parameters<typeof playHistory>])[] = [
  [
    "a deferred message expires when it is requested, and its dead letter is forwarded to a waiting receiver",
    [
      {
        plain: {},
        sessions: {},
        chainLength: 2,
        topic: {},
        subscription: { deadLetteringOnMessageExpiration: true, defaultMessageTimeToLiveMs: 3_000 },
        deadLettersGoTo: "topic",
      },
      [
        {
          do: "send",
          to: 29,
          messages: [
            {
              messageId: "m5",
              sessionId: "",
              partitionKey: undefined,
              subject: "blue",
              timeToLiveMs: 5_000,
              body: "a",
              properties: { color: "red" },
            },
          ],
        },
        { do: "receive", from: 16, count: 3, mode: "peekLock", maxWaitMs: 0 },
        { do: "settle", receipt: 17, how: "defer", changes: { tries: 1 } },
        { do: "advance", ms: 150_000 },
        { do: "receive", from: 3, count: 2, mode: "peekLock", maxWaitMs: Number.POSITIVE_INFINITY },
        { do: "receiveDeferred", receipts: [31], mode: "peekLock" },
      ],
    ],
  ],
];

it.each(found)("the engine and the model agree: %s", async (_, history) => {
  expect((await playHistory(...history)).size).toBeGreaterThan(0);
});

describe("the engine and a simple model agree on random histories", () => {
  it("in memory", { timeout: timeoutMs }, async () => {
    const seen = await playRandom(wantedCommands, command, playHistory);
    expect(everyEvent.filter((event) => !seen.has(event))).toEqual([]);
  });

  it("in memory, with nearly all that wait in pages of two", { timeout: timeoutMs }, async () => {
    await withSmallPages(() => playRandom(wantedCommands / 2, command, playHistory));
  });

  it("on a storage, with restarts", { timeout: timeoutMs }, async () => {
    await playRandom(wantedCommands / 8, durableCommand, (net, commands) => {
      const disk = createDisk();
      return withSmallPages(() => playHistory(net, commands, () => openDisk(disk)));
    });
  });

  it("on the durable storage, with restarts", { timeout: timeoutMs }, async () => {
    await playRandom(wantedCommands / 16, durableCommand, async (net, commands) => {
      const directory = await mkdtemp(join(tmpdir(), "waybill-model-"));
      try {
        return await playHistory(net, commands, () => openDurableStorage(directory));
      } finally {
        await rm(directory, { recursive: true });
      }
    });
  });
});
