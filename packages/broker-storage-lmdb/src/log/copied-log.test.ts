import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import {
  contentOf,
  first,
  groupsIn,
  killAfter,
  openAndLoad,
  type Place,
  refusalOf,
  second,
  send,
  sequencesIn,
  storeFiles,
  temporaryPlace,
} from "./log.test-support.js";

const withoutLog = ["store.json", "store.mdb"];

function copy(from: Place, to: Place, name: string): void {
  copyFileSync(join(from.path, name), join(to.path, name));
}

describe("a copy of a store", () => {
  it("needs no log after the store was closed", async () => {
    using live = temporaryPlace();
    using killed = temporaryPlace();
    using target = temporaryPlace();
    await killAfter([1, 2, 3], live, killed);
    live.copyTo(target, withoutLog);
    expect(await contentOf(target.path)).toHaveLength(3);
    // Also if it was killed before, and opened and closed since.
    expect(await contentOf(killed.path)).toHaveLength(3);
    killed.copyTo(target, withoutLog);
    expect(await contentOf(target.path)).toHaveLength(3);
  });

  it("is refused without the log of a killed process, with the name of what is missing", async () => {
    using live = temporaryPlace();
    using killed = temporaryPlace();
    using target = temporaryPlace();
    await killAfter([1], live, killed);
    killed.copyTo(target, withoutLog);
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await refusalOf(target.path)).toContain(
        "its file store.log-a is missing, which has the changes of a broker that was not closed. A copy needs store.json, store.mdb and both files of the log. Nothing was changed",
      );
    copy(killed, target, first);
    expect(await contentOf(target.path)).toHaveLength(1);
  });

  it("is refused with a log, or a store, of another time", async () => {
    using live = temporaryPlace();
    using early = temporaryPlace();
    using late = temporaryPlace();
    using target = temporaryPlace();
    await killAfter([1, 2], live, early);
    const { storage } = await openAndLoad(live.path);
    await send(storage, 3, 3);
    live.copyTo(late);
    await storage.close();
    late.copyTo(target);
    copy(early, target, first);
    expect(await refusalOf(target.path)).toContain(
      "its file store.log-a belongs to another store, or to another state of this one",
    );
    late.copyTo(target);
    copy(early, target, "store.mdb");
    expect(await refusalOf(target.path)).toContain("its file store.log-a belongs to another store");
  });

  it("is refused with a log of changes that a closed store knows nothing of", async () => {
    using live = temporaryPlace();
    using closed = temporaryPlace();
    using killed = temporaryPlace();
    await (await openAndLoad(closed.path)).storage.close();
    await killAfter([1, 2], live, killed);
    copy(killed, closed, first);
    expect(await refusalOf(closed.path)).toContain(
      "its file store.log-a has changes that its file store.mdb knows nothing of",
    );
    rmSync(join(closed.path, first));
    expect(await contentOf(closed.path)).toEqual([]);
  });

  it("ignores a log without changes, as an interrupted start leaves it", async () => {
    using live = temporaryPlace();
    using closed = temporaryPlace();
    using killed = temporaryPlace();
    await (await openAndLoad(closed.path)).storage.close();
    await killAfter([1, 2], live, killed);
    const bytes = killed.read(first);
    const [, headEnd] = groupsIn(bytes)[0] ?? [0, 0];
    closed.write(first, bytes.subarray(0, headEnd * 512));
    expect(sequencesIn(closed)).toEqual([]);
    closed.write(first, bytes.subarray(0, 100));
    const { storage } = await openAndLoad(closed.path);
    await send(storage, 7, 7);
    closed.copyTo(killed);
    await storage.close();
    expect(sequencesIn(killed)).toEqual([7]);
  });
});

describe("a copy of a store whose log has both files in use", () => {
  const bodyBytes = 250_000;
  /** The first file is full after 33 messages. When half of the second one is, the store is brought up to date from the first. */
  const secondHalfFull = 51;

  /** Resolves when a running store does without the first file of its log, which takes as long as the disk does. */
  async function untilApplied(live: Place): Promise<void> {
    await vi.waitFor(() => expect(sequencesIn(live, ["no file", second])).toBeInstanceOf(Array), {
      timeout: 50_000,
      interval: 10,
    });
  }

  /** Copies a running store into each place when it has sent so many messages; of the ones before the last 20, only every tenth is kept. */
  async function run(copies: ReadonlyMap<number, Place>): Promise<void> {
    using live = temporaryPlace();
    const { storage } = await openAndLoad(live.path);
    for (let sequence = 1; sequence <= Math.max(...copies.keys()); sequence++) {
      await send(storage, sequence, bodyBytes);
      if (sequence > 20 && sequence % 10 !== 0) storage.deleteMessage(1, sequence - 20);
      await storage.commit();
      const target = copies.get(sequence);
      if (target === undefined) continue;
      if (sequence >= secondHalfFull) await untilApplied(live);
      live.copyTo(target);
    }
    await storage.close();
  }

  it("is refused without either file, and with an older one of them", async () => {
    using early = temporaryPlace();
    using middle = temporaryPlace();
    using late = temporaryPlace();
    using target = temporaryPlace();
    await run(
      new Map([
        [20, early],
        [40, middle],
        [60, late],
      ]),
    );
    expect(sequencesIn(middle)).toHaveLength(22);
    middle.copyTo(target, [...withoutLog, first]);
    expect(await refusalOf(target.path)).toContain("its file store.log-b is missing");
    middle.copyTo(target, [...withoutLog, second]);
    expect(await refusalOf(target.path)).toContain("its file store.log-a is missing");
    middle.copyTo(target);
    copy(early, target, first);
    expect(await refusalOf(target.path)).toContain("its file store.log-a is older than its file store.mdb");
    late.copyTo(target);
    copy(middle, target, second);
    expect(sequencesIn(target)).toBe("its file store.log-b is older than its file store.mdb");
    late.copyTo(target);
    copy(early, target, "store.mdb");
    expect(await refusalOf(target.path)).toContain(
      "its file store.log-b has changes that its file store.mdb knows nothing of",
    );
    late.copyTo(target, storeFiles);
    expect(await contentOf(target.path)).toHaveLength(24);
  }, 60_000);
});
