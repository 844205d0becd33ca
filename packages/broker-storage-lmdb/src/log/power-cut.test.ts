import { Buffer } from "node:buffer";
import { basename } from "node:path";
import { describe, expect, it, vi } from "vitest";

/** One write to a file of the log; other files are left alone. */
interface LogWrite {
  readonly name: string;
  readonly offset: number;
  readonly bytes: Buffer;
}

/** Called before each write to the log, which waits for it. */
const disk = vi.hoisted(() => ({
  names: new Map<number, string>(),
  beforeWrite: async (_write: LogWrite): Promise<void> => {},
}));

vi.mock("node:fs", async (importOriginal) => {
  const fs = await importOriginal<typeof import("node:fs")>();
  return {
    ...fs,
    openSync(path: string, ...rest: [never]) {
      const descriptor = fs.openSync(path, ...rest);
      disk.names.set(descriptor, path);
      return descriptor;
    },
    write(...args: [number, Buffer, number, number, number, (error: Error | null, written: number) => void]) {
      const [descriptor, bytes, , , offset, callback] = args;
      const write = { name: basename(disk.names.get(descriptor) ?? ""), offset, bytes };
      disk.beforeWrite(write).then(
        () => fs.write(...args),
        (error) => callback(error, 0),
      );
    },
  };
});

const { contentOf, openAndLoad, send, sequencesIn, temporaryPlace } = await import("./log.test-support.js");
type Place = ReturnType<typeof temporaryPlace>;

const sectorBytes = 512;

/** Which sectors of a write are on the disk after the power failed: with a seed, in any combination. */
function someOf(seed: number): (sector: number) => boolean {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 16) % 2 === 0;
  };
}

const outcomes: ((sector: number, count: number) => boolean)[] = [
  () => false,
  () => true,
  (sector) => sector === 0,
  (sector) => sector > 0,
  (sector, count) => sector < count - 1,
  (sector, count) => sector === count - 1,
  ...[1, 2, 3, 4].map(someOf),
];

/**
 * Leaves in a copy of a store what is on the disk after a write of which only some sectors are. What is not, and is behind the old end of the file, has
 * zeros or is missing. Returns whether all sectors are.
 */
function tear(
  place: Place,
  { name, offset, bytes }: LogWrite,
  isKept: (sector: number, count: number) => boolean,
  file: Buffer,
): boolean {
  const count = Math.ceil(bytes.byteLength / sectorBytes);
  const mixed = Buffer.alloc(bytes.byteLength);
  file.copy(mixed, 0, offset);
  let end = file.byteLength;
  let isAll = true;
  for (let sector = 0; sector < count; sector++) {
    if (!isKept(sector, count)) isAll = false;
    else {
      const from = sector * sectorBytes;
      bytes.copy(mixed, from, from, from + sectorBytes);
      end = Math.max(end, offset + Math.min(bytes.byteLength, from + sectorBytes));
    }
  }
  place.patch(name, offset, mixed, end);
  return isAll;
}

/** A copy of a store that is not changed while it is copied. */
function snapshot(live: Place, target: Place): void {
  let before: Buffer;
  do {
    before = live.read("store.mdb");
    live.copyTo(target);
  } while (!before.equals(live.read("store.mdb")) || !before.equals(target.read("store.mdb")));
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe("a power cut in any write of the log", () => {
  it("loses nothing acknowledged, whichever sectors of the write are on the disk", async () => {
    using live = temporaryPlace();
    using place = temporaryPlace();
    const { storage } = await openAndLoad(live.path);
    let acknowledged = 0;
    let tears = 0;
    disk.beforeWrite = async (write) => {
      snapshot(live, place);
      const file = place.read(write.name);
      for (const isKept of outcomes) {
        const isAll = tear(place, write, isKept, file);
        const before = range(1, acknowledged);
        const after = range(1, acknowledged + 1);
        expect(isAll ? [before, after] : [before]).toContainEqual(sequencesIn(place));
        tears++;
      }
    };
    try {
      for (const bodyBytes of [10, 300, 450, 500, 1000, 3000, 10_000, 50_000, 20, 70_000, 100_000, 1]) {
        await send(storage, acknowledged + 1, bodyBytes);
        acknowledged++;
      }
    } finally {
      disk.beforeWrite = async () => {};
    }
    // The head, the messages, and blocks added three times, at least.
    expect(tears).toBeGreaterThanOrEqual((1 + 12 + 3) * outcomes.length);
    await storage.close();
  }, 60_000);

  it("loses nothing over the blocks of a file that is used again, and next to a store that is brought up to date", async () => {
    using live = temporaryPlace();
    using place = temporaryPlace();
    const { storage } = await openAndLoad(live.path);
    const kept = 6;
    let acknowledged = 0;
    let writes = 0;
    disk.beforeWrite = async (write) => {
      // Each file was full once: its blocks are those of older groups.
      const isAgain = acknowledged > 44 && write.bytes.byteLength < 1_000_000;
      const isHead = write.offset === 0;
      if (!isHead && !isAgain) return;
      writes++;
      snapshot(live, place);
      const file = place.read(write.name);
      for (const isKept of outcomes.slice(writes % 2, 7)) {
        const isAll = tear(place, write, isKept, file);
        const before = range(Math.max(1, acknowledged - kept + 1), acknowledged);
        const after = range(Math.max(1, acknowledged - kept + 2), acknowledged + 1);
        expect(isAll ? [before, after] : [before]).toContainEqual(sequencesIn(place));
      }
    };
    try {
      for (let sequence = 1; sequence <= 60; sequence++) {
        // One large message, then small ones: a file is full after eight.
        await sendAndDrop(storage, sequence, sequence % 3 === 0 ? 2_500_000 : 900, kept);
        acknowledged = sequence;
      }
    } finally {
      disk.beforeWrite = async () => {};
    }
    expect(writes).toBeGreaterThan(10);
    await storage.close();
    expect(await contentOf(live.path)).toHaveLength(kept);
  }, 120_000);

  it("can be followed by others: what one left is never taken for part of a later group", async () => {
    for (const [i, isKept] of outcomes.entries()) {
      using live = temporaryPlace();
      using place = temporaryPlace();
      const { storage } = await openAndLoad(live.path);
      await send(storage, 1, 100);
      // Power fails while a message of four blocks is written, then in each write of the next start.
      await cutIn(live, place, () => send(storage, 2, 1700), isKept, 0);
      await storage.close();
      for (const nextKept of outcomes.slice(i % 2, 7)) {
        for (const writes of [0, 1]) {
          using next = temporaryPlace();
          using after = temporaryPlace();
          place.copyTo(next);
          const { storage: again, loaded } = await openAndLoad(next.path);
          const found = loaded.messages.map(([, sequence]) => sequence);
          await cutIn(next, after, () => send(again, 9, 1900), nextKept, writes);
          await again.close();
          const left = sequencesIn(after);
          expect([found, [...found, 9]], `${i}`).toContainEqual(left);
        }
      }
    }
  }, 120_000);
});

/** Sends a message, and deletes the one that was sent `kept` messages before, in the same group. */
async function sendAndDrop(
  storage: Awaited<ReturnType<typeof openAndLoad>>["storage"],
  sequence: number,
  bodyBytes: number,
  kept: number,
): Promise<void> {
  if (sequence > kept) storage.deleteMessage(1, sequence - kept);
  await send(storage, sequence, bodyBytes);
}

/** Leaves in `target` what is on the disk when power fails in a write of `work`, the one after so many others. */
async function cutIn(
  live: Place,
  target: Place,
  work: () => Promise<void>,
  isKept: (sector: number, count: number) => boolean,
  writesBefore: number,
): Promise<void> {
  let left = writesBefore;
  disk.beforeWrite = async (write) => {
    if (left-- !== 0) return;
    snapshot(live, target);
    tear(target, write, isKept, target.read(write.name));
  };
  try {
    await work();
  } finally {
    disk.beforeWrite = async () => {};
  }
  // There was no such write.
  if (left >= 0) snapshot(live, target);
}
