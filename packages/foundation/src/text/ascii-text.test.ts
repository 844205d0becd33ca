import { describe, expect, it } from "vitest";
import { asciiText } from "./ascii-text.js";

const encoder = new TextEncoder();

describe("asciiText", () => {
  it("reads texts of every length, at any offset", () => {
    const text = Array.from({ length: 128 }, (_, unit) => String.fromCharCode(unit)).join("");
    const bytes = encoder.encode(text);
    for (let end = 0; end <= 40; end++) expect(asciiText(bytes, 0, end)).toBe(text.slice(0, end));
    expect(asciiText(bytes, 3, 128)).toBe(text.slice(3));
  });

  it("returns undefined if any byte is not ASCII", () => {
    for (let at = 0; at < 20; at++) {
      const bytes = encoder.encode("abcdefghijklmnopqrst");
      bytes[at] = 0x80;
      expect(asciiText(bytes, 0, 20)).toBeUndefined();
    }
  });
});
