import { describe, expect, it } from "vitest";
import { fromPortableValue, type PortableValue, toPortableValue } from "./portable-value.js";
import { isKept, redactLeaf, redactValue, shapeOf } from "./redact-value.js";

describe("a leaf is redacted to one of the same form", () => {
  it.each<[unknown, unknown]>([
    ["Ada-Élan 42 ٣", "Aaa-Aaaa 11 1"],
    [0, 0],
    [42.05, 11.01],
    [-7, -1],
    [2.5e-9, 1.1e-9],
    [Number.NaN, Number.NaN],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    [0n, 0n],
    [-905n, -101n],
    [new Date(5), new Date("2011-11-11T11:11:11.111Z")],
    [Uint8Array.of(7, 0, 9), Uint8Array.of(1, 1, 1)],
    [true, true],
    [null, null],
    [undefined, undefined],
  ])("%o as %o", (leaf, expected) => {
    expect(redactLeaf(leaf)).toEqual(expected);
  });
});

describe("a body is redacted leaf by leaf", () => {
  it("in containers of the same kind, with the path of each leaf", () => {
    const paths: string[] = [];
    const body = {
      list: ["a", { "b/c~d": "e" }],
      map: new Map<unknown, unknown>([
        ["key", "f"],
        [7, "g"],
      ]),
      set: new Set(["h"]),
      date: new Date(0),
      bytes: Uint8Array.of(1),
      none: null,
    };
    const redacted = redactValue(body, (_, path) => {
      paths.push(path);
      return "-";
    });
    expect(redacted).toEqual({
      list: ["-", { "b/c~d": "-" }],
      map: new Map<unknown, unknown>([
        ["key", "-"],
        [7, "-"],
      ]),
      set: new Set(["-"]),
      date: "-",
      bytes: "-",
      none: "-",
    });
    expect(paths).toEqual([
      ...["/list/0", "/list/1/b~1c~0d", "/map/key", "/map/7", "/set/0", "/date", "/bytes", "/none"],
    ]);
  });

  it.each<[string, readonly string[], boolean]>([
    ["/status", ["/status"], true],
    ["/status/code", ["/status"], true],
    ["/status", ["/status/code"], false],
    ["/items/3/sku", ["/other", "/items/*/sku"], true],
    ["/items/3/name", ["/items/*/sku"], false],
    ["/status", [], false],
  ])("but for %s if %j are kept", (path, patterns, expected) => {
    expect(isKept(path, patterns)).toBe(expected);
  });
});

describe("the shape of a body", () => {
  const lines = (value: unknown) => shapeOf(value).split("\n");

  it("names every path with the kind of its leaf, and the items of a list once", () => {
    expect(
      lines({ b: [1, 2, "x"], a: null, d: new Date(0), e: Uint8Array.of(1), f: undefined, g: true }),
    ).toEqual([
      "/a:null",
      "/b/*:number",
      "/b/*:string",
      "/b[]",
      "/d:Date",
      "/e:Uint8Array",
      "/f:undefined",
      "/g:boolean",
      "{}",
    ]);
  });

  it("is that of an object for a map, and that of a list for a set", () => {
    expect(shapeOf(new Map<unknown, unknown>([["a", new Set([1])]]))).toBe(shapeOf({ a: [1] }));
    expect(lines(new Set())).toEqual(["[]"]);
    expect(lines(new Map())).toEqual(["{}"]);
    expect(lines(7n)).toEqual([":bigint"]);
  });
});

describe("a portable value", () => {
  it.each<[unknown, PortableValue]>([
    [0, 0],
    [-0, { $number: "-0" }],
    [Number.NaN, { $number: "NaN" }],
    [Number.NEGATIVE_INFINITY, { $number: "-Infinity" }],
    [1n, { $bigint: "1" }],
    [undefined, { $undefined: true }],
    [new Date(0), { $date: "1970-01-01T00:00:00.000Z" }],
    [new Date(Number.NaN), { $date: "invalid" }],
    [Uint8Array.of(1, 2), { $bytes: "AQI=" }],
    [new Map([["a", 1n]]), { $map: [["a", { $bigint: "1" }]] }],
    [new Set([null]), { $set: [null] }],
    [{ $a: 1 }, { $object: { $a: 1 } }],
    [
      { $a: 1, $b: 2 },
      { $a: 1, $b: 2 },
    ],
  ])("of %o is %j, and is read back", (value, portable) => {
    expect(toPortableValue(value)).toEqual(portable);
    expect(fromPortableValue(portable)).toEqual(value);
    expect(Object.is(fromPortableValue(portable), -0)).toBe(Object.is(value, -0));
  });

  it.each<[PortableValue, string]>([
    [{ $map: [["a"]] }, "A pair of key and value was expected."],
    [{ $map: [[]] }, "A pair of key and value was expected."],
    [{ $map: ["a"] }, "A list was expected."],
    [{ $set: "a" }, "A list was expected."],
    [{ $number: " " }, "$number must be a string with a number."],
    [{ $number: 7 }, "$number must be a string with a number."],
  ])("%j is refused", (portable, text) => {
    expect(() => fromPortableValue(portable)).toThrow(new TypeError(text));
  });

  it("is read down to 512 levels", () => {
    const nested = (depth: number) => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`) as PortableValue;
    expect(fromPortableValue(nested(513))).toHaveLength(1);
    expect(() => fromPortableValue(nested(514))).toThrow("The value is nested deeper than 512 levels.");
  });
});
