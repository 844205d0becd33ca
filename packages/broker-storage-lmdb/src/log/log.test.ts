import { spawn } from "node:child_process";
import { copyFileSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Storage } from "@waybill/broker/storage";
import { required } from "@waybill/foundation";
import { describe, expect, it } from "vitest";
import { messageRecord } from "../fixture.test-support.js";
import {
  contentOf,
  first,
  killAfter,
  openAndLoad,
  second,
  send,
  sequencesIn,
  temporaryPlace,
} from "./log.test-support.js";

const fiveSizes = [100, 100, 100, 100, 100];
const five = [1, 2, 3, 4, 5].map((sequence) => [sequence, 100, sequence]);

describe("the log of a store", () => {
  it("holds what was acknowledged, and is gone when the store was closed", async () => {
    using live = temporaryPlace();
    using killed = temporaryPlace();
    await killAfter(fiveSizes, live, killed);
    expect(existsSync(join(killed.path, first))).toBe(true);
    expect(await contentOf(killed.path)).toEqual(five);
    for (const place of [live, killed]) {
      for (const name of [first, second]) expect(existsSync(join(place.path, name))).toBe(false);
      expect(await contentOf(place.path)).toEqual(five);
    }
  });

  it("begins with the first change: a store that is only read has none", async () => {
    using live = temporaryPlace();
    await (await openAndLoad(live.path)).storage.close();
    const { storage } = await openAndLoad(live.path);
    expect(existsSync(join(live.path, first))).toBe(false);
    await send(storage, 1, 1);
    expect(existsSync(join(live.path, first))).toBe(true);
    await storage.close();
  });

  it.skipIf(process.platform === "win32")("has the permissions of the store's file", async () => {
    using live = temporaryPlace();
    const { storage } = await openAndLoad(live.path);
    await send(storage, 1, 1);
    const [log, store] = [first, "store.mdb"].map((name) => statSync(join(live.path, name)).mode);
    expect(log).toBe(store);
    await storage.close();
  });

  it("is read again by every start, and only written by the changes after it", async () => {
    using live = temporaryPlace();
    using killed = temporaryPlace();
    await killAfter(fiveSizes, live, killed);
    const before = killed.read(first);
    for (let start = 0; start < 3; start++) {
      using copy = temporaryPlace();
      killed.copyTo(copy);
      const { storage, loaded } = await openAndLoad(copy.path);
      expect(loaded.messages.map(([, sequence]) => sequence)).toEqual([1, 2, 3, 4, 5]);
      expect(copy.read(first).equals(before)).toBe(true);
      copy.copyTo(killed);
      await storage.close();
    }
  });

  it("continues where a killed process ended, any number of times", async () => {
    using live = temporaryPlace();
    using killed = temporaryPlace();
    await killAfter(fiveSizes, live, killed);
    for (let sequence = 6; sequence <= 12; sequence++) {
      using next = temporaryPlace();
      killed.copyTo(next);
      const { storage } = await openAndLoad(next.path);
      await send(storage, sequence, sequence);
      storage.deleteMessage(1, sequence - 5);
      await storage.commit();
      next.copyTo(killed);
      await storage.close();
    }
    const last = [8, 9, 10, 11, 12];
    expect(await contentOf(killed.path)).toEqual(last.map((sequence) => [sequence, sequence, sequence]));
  });

  it("is not replayed once the store has it, as if the process had been killed before it was deleted", async () => {
    using live = temporaryPlace();
    using killed = temporaryPlace();
    await killAfter(fiveSizes, live, killed);
    const { storage } = await openAndLoad(killed.path);
    for (const sequence of [1, 2, 3]) storage.deleteMessage(1, sequence);
    await storage.commit();
    killed.copyTo(live);
    await storage.close();
    copyFileSync(join(live.path, first), join(killed.path, first));
    expect(sequencesIn(killed)).toEqual([4, 5]);
    expect(await contentOf(killed.path)).toEqual(five.slice(3));
    expect(existsSync(join(killed.path, first))).toBe(false);
  });
});

describe("a log that is longer than its files", () => {
  const bodyBytes = 500_000;

  /** Sends messages of half a megabyte, each completed when `kept` others were sent after it; returns the ids of the bodies. */
  async function sendMany(storage: Storage, count: number, kept: number): Promise<number[]> {
    const bodies: number[] = [];
    for (let sequence = 1; sequence <= count; sequence++) {
      const bodyId = storage.putBody(new Uint8Array(bodyBytes).fill(sequence));
      bodies.push(bodyId);
      storage.putMessage(1, sequence, messageRecord(bodyId));
      if (sequence > kept) {
        storage.deleteMessage(1, sequence - kept);
        storage.releaseBody(bodies[sequence - kept - 1]!);
      }
      await storage.commit();
    }
    return bodies;
  }

  it("keeps all messages, whatever is in the store and what in the log", async () => {
    using live = temporaryPlace();
    const { storage } = await openAndLoad(live.path);
    const bodies = await sendMany(storage, 220, 200);
    for (const [i, bodyId] of bodies.entries())
      if (i >= 20) expect(storage.readBody(bodyId)[1]).toBe((i + 1) % 256);
    for (const name of [first, second]) expect(statSync(join(live.path, name)).size).toBeLessThan(18_000_000);
    await storage.close();
    expect(await contentOf(live.path)).toEqual(
      bodies.slice(20).map((_, i) => [i + 21, bodyBytes, (i + 21) % 256]),
    );
  }, 60_000);

  it("writes nothing to the store for messages that came and went in one file of the log", async () => {
    using live = temporaryPlace();
    const { storage } = await openAndLoad(live.path);
    await sendMany(storage, 200, 1);
    await storage.close();
    expect(statSync(join(live.path, "store.mdb")).size).toBeLessThan(10_000_000);
    expect(await contentOf(live.path)).toEqual([[200, bodyBytes, 200]]);
  }, 60_000);

  it("loses nothing acknowledged when its process is killed, again and again", async () => {
    using live = temporaryPlace();
    const acknowledged: number[] = [];
    for (const count of [20, 120, 180, 60]) {
      const from = (acknowledged.at(-1) ?? 0) + 1000;
      acknowledged.push(...(await killSender(live.path, from, count)));
      using copy = temporaryPlace();
      live.copyTo(copy);
      const { storage, loaded } = await openAndLoad(copy.path);
      const found = new Map(loaded.messages.map(([, sequence, record]) => [sequence, record.content.bodyId]));
      for (const sequence of acknowledged.slice(-keptBySender)) {
        const body = storage.readBody(required(found.get(sequence)));
        expect([body.byteLength, body[0], body.at(-1)]).toEqual([400_000, sequence % 256, sequence % 256]);
      }
      await storage.close();
    }
  }, 120_000);
});

/** How many of its last messages the sender never completes. */
const keptBySender = 30;

/** Starts a process that sends messages, four at a time, and kills it after it reported so many acknowledgements; returns their sequence numbers. */
async function killSender(directory: string, from: number, count: number): Promise<number[]> {
  const program = `
    import { writeSync } from "node:fs";
    import { openDurableStorage } from ${JSON.stringify(new URL("../../dist/index.js", import.meta.url).href)};
    const storage = await openDurableStorage(${JSON.stringify(directory)});
    const ignore = () => {};
    await storage.load({ entity: ignore, counter: ignore, message: ignore, session: ignore, duplicate: ignore });
    const record = ${JSON.stringify(messageRecord(0))};
    const messageRecord = (bodyId) =>
      ({ ...record, lifeMs: Number.POSITIVE_INFINITY, content: { ...record.content, bodyId } });
    const bodies = new Map();
    let next = ${from};
    const send = async () => {
      for (;;) {
        const sequence = next++;
        bodies.set(sequence, storage.putBody(new Uint8Array(400_000).fill(sequence)));
        storage.putMessage(1, sequence, messageRecord(bodies.get(sequence)));
        const old = sequence - ${2 * keptBySender};
        if (bodies.has(old)) {
          storage.deleteMessage(1, old);
          storage.releaseBody(bodies.get(old));
          bodies.delete(old);
        }
        await storage.commit();
        writeSync(1, sequence + "\\n");
      }
    };
    await Promise.all([send(), send(), send(), send()]);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = new Promise((resolve) => child.once("exit", resolve));
  const acknowledged: number[] = [];
  let isKilled = false;
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(Number(line));
    if (acknowledged.length >= count && !isKilled) isKilled = child.kill("SIGKILL");
  }
  await exit;
  if (!isKilled) throw new Error("the sender ended by itself");
  return acknowledged;
}
