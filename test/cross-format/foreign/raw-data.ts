import fc from "fast-check";
import type { Family } from "../family.js";
import { concat, digest } from "./bytes.js";
import { bodies, type Each, seed } from "./item.js";

/** The beginnings of files, with data that could follow. */
export function files(each: Each): Family[] {
  const kinds: readonly (readonly [string, readonly number[] | string])[] = [
    ["PNG", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]],
    ["JPEG", [0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0]],
    ["GIF", "GIF89a"],
    ["WebP and WAV", "RIFF"],
    ["MP4", [0, 0, 0, 24, 0x66, 0x74, 0x79, 0x70]],
    ["PDF", "%PDF-1.7\n%âãÏÓ\n"],
    ["ZIP", [0x50, 0x4b, 3, 4, 20, 0, 8, 0]],
    ["Zstandard and LZ4", [0x28, 0xb5, 0x2f, 0xfd, 0x24]],
    ["SQLite", "SQLite format 3\0"],
    ["Parquet", "PAR1"],
    ["WebAssembly", [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]],
    ["MIDI events", [0x92, 60, 64, 0x82, 60, 0]],
  ];
  return kinds.map(([name, start]) => ({
    format: name,
    bodies: each(({ id }, n) => concat(start, digest(`${name} ${id} ${n}`).subarray(0, 4 + (n % 28)))),
  }));
}

/** Bytes without any format, such as measurements and keys. */
export function rawData(): Family[] {
  const sampled = (arbitrary: fc.Arbitrary<Uint8Array>, numRuns = 120) =>
    bodies(fc.sample(arbitrary, { numRuns, seed }));
  const counts = fc.integer({ min: 1, max: 40 });
  const numbers = (
    width: number,
    write: (target: Buffer, value: number, offset: number) => void,
    max: number,
  ) =>
    fc
      .tuple(counts, fc.integer({ min: 0, max }), fc.integer({ min: 1, max: 9 }))
      .map(([count, start, step]) => {
        const target = Buffer.alloc(count * width);
        for (let index = 0; index < count; index++)
          write(target, (start + index * step) % max, index * width);
        return target;
      });
  const byte = fc.integer({ min: 0, max: 255 });
  return [
    {
      format: "arrays of 8-bit measurements",
      bodies: sampled(numbers(1, (to, value, at) => to.writeUInt8(value, at), 256)),
    },
    {
      format: "arrays of 16-bit measurements",
      bodies: sampled(numbers(2, (to, value, at) => to.writeInt16LE(value - 16_384, at), 32_768)),
    },
    {
      format: "arrays of 32-bit floats",
      bodies: sampled(numbers(4, (to, value, at) => to.writeFloatLE(value / 7, at), 5_000)),
    },
    {
      format: "timestamps of 64 bits",
      bodies: sampled(
        numbers(8, (to, value, at) => to.writeBigInt64BE(1_780_000_000_000n + BigInt(value), at), 9_999),
      ),
    },
    {
      format: "UUIDs and digests",
      bodies: bodies(
        Array.from({ length: 400 }, (_, n) => digest(`${n}`).subarray(0, n % 2 === 0 ? 16 : 32)),
      ),
    },
    {
      format: "Modbus frames",
      bodies: sampled(
        fc
          .tuple(byte, byte, byte)
          .map(([unit, low, high]) => Uint8Array.of(unit, 3, 2, high, low, unit ^ low, high)),
      ),
    },
    {
      format: "two bytes, every pair that begins like a MessagePack container",
      bodies: bodies(
        [...Array.from({ length: 31 }, (_, count) => 0x81 + count), 0xdc, 0xde].flatMap((first) =>
          Array.from({ length: 256 }, (_, second) => Uint8Array.of(first, second)),
        ),
      ),
    },
    {
      format: "a byte beyond ASCII and a line of ASCII",
      bodies: bodies(
        Array.from({ length: 128 }, (_, high) =>
          Array.from({ length: 24 }, (_, length) =>
            concat([0x80 + high], "Order A-1042 was shipped".slice(0, length)),
          ),
        ).flat(),
      ),
    },
    {
      format: "two bytes beyond ASCII and a line of ASCII",
      // As long as the second byte declares if it is read as the length of a key, with one more byte for its value.
      bodies: bodies(
        Array.from({ length: 31 }, (_, first) =>
          Array.from({ length: 32 }, (_, key) =>
            [key + 1, 7, 20].map((length) => [first, key, length] as const),
          ),
        )
          .flat(2)
          .map(([first, key, length]) =>
            concat([0x81 + first, 0xa0 + key], "Order A-1042 was shipped on 5 November".slice(0, length)),
          ),
      ),
    },
  ];
}
