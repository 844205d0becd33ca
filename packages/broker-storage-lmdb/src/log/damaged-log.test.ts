import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { blockBytes, Stamps } from "./blocks.js";
import {
  contentOf,
  first,
  groupsIn,
  killAfter,
  type Place,
  refusalOf,
  sequencesIn,
  temporaryPlace,
} from "./log.test-support.js";

const sizes = [100, 1000, 10, 2500, 700];
const all = [1, 2, 3, 4, 5];

/** A store killed after five messages, of which each is a group in its log. */
async function killed(place: Place): Promise<Buffer> {
  using live = temporaryPlace();
  await killAfter(sizes, live, place);
  return place.read(first);
}

describe("a damaged log", () => {
  it("is refused if any bit of it is flipped, in the last group too", async () => {
    using place = temporaryPlace();
    const bytes = await killed(place);
    const [lastStart, end] = groupsIn(bytes).at(-1) ?? [0, 0];
    for (let at = 0; at < end * blockBytes; at += at < lastStart * blockBytes ? 7 : 1) {
      place.patch(first, at, Buffer.of((bytes[at] ?? 0) ^ (1 << (at & 7))), bytes.byteLength);
      expect(sequencesIn(place), `byte ${at}`).toMatch(/^(in )?its file store\.log-a/);
      place.patch(first, at, bytes.subarray(at, at + 1), bytes.byteLength);
    }
    expect(sequencesIn(place)).toEqual(all);
  }, 60_000);

  it("names the file, and the offset of the group, to everyone who opens the store", async () => {
    using place = temporaryPlace();
    const bytes = await killed(place);
    for (const [start, end] of groupsIn(bytes)) {
      const damaged = Buffer.from(bytes).fill(0x5a, end * blockBytes - 20, end * blockBytes - 10);
      place.write(first, damaged);
      expect(await refusalOf(place.path)).toContain(
        `in its file store.log-a, it is damaged at offset ${start * blockBytes}. Nothing was changed`,
      );
    }
    place.write(first, bytes);
    expect((await contentOf(place.path)).map(([sequence]) => sequence)).toEqual(all);
  });

  it("is refused if a block of it is lost: zeros, ones, random bytes, or another block", async () => {
    using place = temporaryPlace();
    const bytes = await killed(place);
    const [, end] = groupsIn(bytes).at(-1) ?? [0, 0];
    for (let block = 0; block < end; block++) {
      const others = [0, block - 1, block + 1, end]
        .filter((other) => other >= 0 && other !== block)
        .map((other) => bytes.subarray(other * blockBytes, (other + 1) * blockBytes));
      for (const lost of [
        Buffer.alloc(blockBytes),
        Buffer.alloc(blockBytes, 255),
        randomBytes(blockBytes),
        ...others,
      ]) {
        const damaged = Buffer.from(bytes);
        lost.copy(damaged, block * blockBytes);
        place.write(first, damaged);
        expect(sequencesIn(place)).toMatch(/^(in )?its file store\.log-a/);
      }
    }
  }, 60_000);

  it("is refused if it was cut short, also between two groups", async () => {
    using place = temporaryPlace();
    const bytes = await killed(place);
    const [, end] = groupsIn(bytes).at(-1) ?? [0, 0];
    const lengths = Array.from({ length: end * 2 + 2 }, (_, half) => half * (blockBytes / 2));
    for (const length of lengths) {
      place.write(first, bytes.subarray(0, length));
      if (length < (end + 1) * blockBytes) expect(sequencesIn(place)).toMatch(/^in its file store\.log-a/);
      else expect(sequencesIn(place)).toEqual(all);
    }
  });

  it("loses nothing to damage behind its last group", async () => {
    using place = temporaryPlace();
    const bytes = await killed(place);
    const [, end] = groupsIn(bytes).at(-1) ?? [0, 0];
    place.write(first, Buffer.from(bytes).fill(0x5a, (end + 1) * blockBytes));
    expect(sequencesIn(place)).toEqual(all);
    expect((await contentOf(place.path)).map(([sequence]) => sequence)).toEqual(all);
  });
});

describe("the stamp of a block", () => {
  it("is valid for one log, at one place, and with none of its bits flipped", () => {
    const stamps = new Stamps(Buffer.from("0123456789abcdef", "hex"));
    const block = Buffer.alloc(blockBytes);
    for (const group of [0, 1, 77, 2 ** 32 - 1, 2 ** 32, 2 ** 40 + 5]) {
      stamps.write(block, 0, 9, group);
      expect(stamps.read(block, 0, 9)).toBe(group);
      expect(stamps.read(block, 0, 10)).toBeUndefined();
      expect(new Stamps(Buffer.from("0123456789abcdee", "hex")).read(block, 0, 9)).toBeUndefined();
      for (let bit = 0; bit < 96; bit++) {
        const flipped = Buffer.from(block);
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(stamps.read(flipped, 0, 9)).toBeUndefined();
      }
    }
    expect(stamps.read(Buffer.alloc(blockBytes), 0, 0)).toBeUndefined();
  });
});
