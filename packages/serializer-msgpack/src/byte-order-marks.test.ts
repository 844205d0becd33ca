import type { Serializer } from "@waybill/core";
import { isNativeAccelerationEnabled } from "msgpackr";
import { describe, expect, it } from "vitest";
import { msgpack } from "./index.js";

const context = {
  messageType: undefined,
  contentType: "application/vnd.msgpack",
  mediaType: undefined,
  applicationProperties: {},
  abortSignal: undefined,
  isDeclared: true,
  maxDepth: 128,
};

function roundTrip(serializer: Serializer, value: unknown): unknown {
  const { bytes } = serializer.serialize(value, context) as { bytes: Uint8Array };
  const before = Buffer.from(bytes);
  const read = serializer.deserialize(bytes, context);
  expect(before.equals(bytes)).toBe(true);
  return read;
}

// Runs twice: `vitest.config.ts` has a project without the add-on.
const addOn = isNativeAccelerationEnabled ? "with the decoder's add-on" : "without the decoder's add-on";

describe(`a string that begins with U+FEFF, ${addOn}`, () => {
  const lengths = [0, 1, 12, 13, 28, 29, 60, 61, 62, 63, 64, 65, 66, 200, 252, 253, 1000, 65_533, 70_000];
  const serializer = msgpack();

  it.each(lengths)("keeps it before %d more characters", (length) => {
    for (const rest of ["x".repeat(length), "é".repeat(length)]) {
      const text = `\ufeff${rest}`;
      for (const value of [text, [text], { key: text }, { [text]: text }, [rest, text, rest, text, 7]])
        expect(roundTrip(serializer, value)).toEqual(value);
    }
  });

  it("keeps it among values of every other kind, in the order of the keys", () => {
    const mark = `\ufeff${"m".repeat(80)}`;
    const value = {
      mark,
      [`${mark}1`]: [
        new Date(5),
        Uint8Array.of(0xef, 0xbb, 0xbf),
        null,
        true,
        2n ** 60n,
        1.5,
        "\ufeff\ufeff",
        "",
      ],
      constructor: { deep: [[[mark]]] },
      last: `x${mark}`,
    };
    const read = roundTrip(serializer, value);
    expect(read).toEqual(value);
    expect(Object.keys(read as object)).toEqual(Object.keys(value));
  });

  it("keeps it in the written value that a schema gets", () => {
    const seen: unknown[] = [];
    const text = `\ufeff${"x".repeat(100)}`;
    const checked = msgpack({ schema: (value) => void seen.push(value) });
    checked.serialize({ toJSON: () => ({ text }) }, context);
    expect(seen).toEqual([{ text }]);
  });
});
