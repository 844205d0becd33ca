import { describe, expect, it } from "vitest";
import { type PlainRules, toPlain } from "./to-plain.js";

/** A format of numbers, arrays and records, which are written as lists of pairs. */
const pairs: PlainRules = {
  format: "pairs",
  item(item, walk) {
    if (typeof item === "number") return item;
    if (typeof item === "object" && item !== null) return walk.object(item);
    return walk.refuse(`a value of type ${typeof item}`);
  },
  record: (entries) => entries,
};
const write = (value: unknown, maxDepth = 10) => toPlain(value, maxDepth, pairs);

class Sealed {
  readonly #seven = 7;
  get seven(): number {
    return this.#seven;
  }
}

describe("toPlain", () => {
  it("refuses objects that would be written as empty objects", () => {
    expect(() => write({ a: [new Blob(["text"])] })).toThrow("at /a/0 is an object of kind Blob.");
    expect(() => write([new Intl.NumberFormat("en")])).toThrow(
      "at /0 is an object of kind Intl.NumberFormat.",
    );
    expect(() => write(new Sealed())).toThrow(
      "its root is an instance of Sealed, which keeps its content private.",
    );
  });

  it("passes every item to the format, and omits absent properties", () => {
    expect(write({ a: 1, b: [2, { c: 3 }], d: undefined })).toEqual([
      ["a", 1],
      ["b", [2, [["c", 3]]]],
    ]);
  });

  it("uses the result of toJSON, which gets the key, and does not call its toJSON", () => {
    const keys: string[] = [];
    const replaced = {
      toJSON(key: string) {
        keys.push(key);
        return { toJSON: undefined, seven: 7 };
      },
    };
    expect(write([replaced, { at: replaced }])).toEqual([[["seven", 7]], [["at", [["seven", 7]]]]]);
    expect(keys).toEqual(["0", "at"]);
    expect(write({ toJSON: () => 5 })).toBe(5);
  });

  it("refuses properties and toJSON that throw, without quoting their errors", () => {
    const thrower = () => {
      throw new Error("secret");
    };
    const cases: [unknown, string][] = [
      [
        { a: [Object.defineProperty({}, "b", { get: thrower, enumerable: true })] },
        "/a/0/b is a property that throws",
      ],
      [Object.defineProperty([1], "0", { get: thrower }), "/0 is a property that throws"],
      [Object.defineProperty({}, "toJSON", { get: thrower }), "/toJSON is a property that throws"],
      [{ a: { toJSON: thrower } }, "/a is an object whose toJSON throws."],
    ];
    for (const [value, text] of cases) {
      expect(() => write(value)).toThrow(`The body cannot be written as pairs: at ${text}`);
      expect(() => write(value)).not.toThrow("secret");
    }
  });

  it("accepts an object that occurs twice, but not one inside itself", () => {
    const shared = { a: 1 };
    expect(write([shared, shared])).toHaveLength(2);
    const ring: unknown[] = [[]];
    (ring[0] as unknown[]).push(ring);
    expect(() => write(ring)).toThrow("The body cannot be written as pairs: at /0/0 is a cycle.");
  });

  it("counts levels as the readers do", () => {
    expect(write([[1]], 2)).toEqual([[1]]);
    expect(() => write([[[]]], 2)).toThrow("at /0/0 is nesting beyond 2 levels");
  });

  it.each([
    ["a map", new Map(), "an object of kind Map"],
    ["an error", new Error("secret"), "an object of kind Error"],
    ["a typed array", new Float64Array(1), "an object of kind Float64Array"],
    ["a boxed number", Object(1), "an object of kind Number"],
    [
      "a key that replaces a prototype",
      JSON.parse('{"__proto__":1}'),
      'a key "__proto__", which readers refuse',
    ],
    [
      "a path to a prototype",
      { constructor: { prototype: 1 } },
      'a key "prototype" under "constructor", which readers refuse',
    ],
  ])("refuses %s", (_name, value, what) => {
    expect(() => write({ found: value })).toThrow(what);
  });

  it("accepts the keys constructor and prototype separately", () => {
    expect(write({ constructor: { a: 1 }, prototype: 2 })).toHaveLength(2);
  });

  it("names the path as a JSON pointer, shortened if it is long, and quotes no value", () => {
    expect(() => write({ "a/b": { "~": ["secret"] } })).toThrow(
      / at \/a~1b\/~0\/0 is a value of type string\.$/,
    );
    expect(() => write({ ["k".repeat(1000)]: "secret" })).toThrow(/ at \/k{255}… is /);
    expect(() => write("secret")).toThrow(" at its root is ");
  });
});
