import { describe, expect, it } from "vitest";
import { cut, describePath, printable, quoted, truncate } from "./quoted-text.js";

describe("truncate", () => {
  it("does not split a surrogate pair", () => {
    expect(truncate("ab😀", 3)).toBe("ab");
    expect(truncate("ab😀", 4)).toBe("ab😀");
  });
});

describe("cut", () => {
  it("ends a text that is too long with an ellipsis, without splitting a surrogate pair", () => {
    expect(cut("abcd", 4)).toBe("abcd");
    expect(cut("abcde", 4)).toBe("abc…");
    expect(cut("ab😀de", 4)).toBe("ab…");
  });
});

describe("quoted", () => {
  it("puts a name in quotes and truncates it", () => {
    expect(quoted("order-placed")).toBe('"order-placed"');
    expect(quoted("x".repeat(200))).toBe(`"${"x".repeat(128)}…"`);
    expect(quoted("order-placed", 5)).toBe('"order…"');
  });

  it("escapes quotes, line breaks, terminal control characters and direction marks", () => {
    expect(quoted('a"b\\c')).toBe('"a\\"b\\\\c"');
    expect(quoted("a\nb\u0000\u001b[31m\u0085\u202e\u2028\ufeff")).toBe(
      '"a\\u000ab\\u0000\\u001b[31m\\u0085\\u202e\\u2028\\ufeff"',
    );
    expect(quoted("a\ud800")).toBe('"a\\ud800"');
  });

  it("does not escape letters of any script", () => {
    expect(quoted("Zoë 日本 😀")).toBe('"Zoë 日本 😀"');
  });
});

describe("printable", () => {
  it("does not change the value of JSON text", () => {
    const text = JSON.stringify({ type: "a\u0085\u202eb\n" });
    expect(printable(text)).not.toMatch(/[\u0085\u202e]/);
    expect(JSON.parse(printable(text))).toEqual({ type: "a\u0085\u202eb\n" });
  });
});

describe("describePath", () => {
  it("is a quoted JSON pointer", () => {
    expect(describePath([])).toBe("its root");
    expect(describePath(["lines", 3, "a/b~c"])).toBe('"/lines/3/a~1b~0c"');
  });

  it("shows only the beginning of a long key and of a deep path", () => {
    expect(describePath(["k".repeat(100), "sku"])).toBe(`"/${"k".repeat(40)}…/sku"`);
    expect(describePath(Array.from({ length: 100 }, () => "step")).length).toBeLessThan(210);
    expect(describePath(["line\nbreak"])).toBe('"/line\\u000abreak"');
  });
});
