import { expect, it } from "vitest";
import { utf8 } from "./utf8.js";

const lengths = [0, 1, 127, 128, 129, 1_000];

it.each(lengths)("encodes %i characters like the platform, in ASCII and beyond", (length) => {
  for (const last of ["\0", "a", "\x7f", "\x80", "é", "汉", "\u{1f600}"]) {
    const text = `${"x".repeat(Math.max(0, length - 1))}${length > 0 ? last : ""}`;
    expect(Buffer.from(utf8(text)).toString("hex")).toBe(Buffer.from(text).toString("hex"));
  }
});
