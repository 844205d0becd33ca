import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePortableJson } from "./portable-json.js";
import { fromPortableValue, type PortableValue, toPortableValue } from "./portable-value.js";

const leaf = fc.oneof(
  fc.string(),
  fc.double(),
  fc.bigInt(),
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
  fc.date(),
  fc.uint8Array(),
);
const key = fc.oneof(fc.string(), fc.constantFrom("$bigint", "$object", "__proto__"));
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie("value")),
    fc.dictionary(key, tie("value"), { noNullPrototype: true }),
    fc.array(fc.tuple(fc.string(), tie("value"))).map((entries) => new Map(entries)),
    fc.array(leaf).map((items) => new Set(items)),
  ),
}));

describe("a portable value", () => {
  it.each([7, null, "text", [1]])("that is no object is refused as one: %j", (content) => {
    expect(() => fromPortableValue({ $object: content } as PortableValue)).toThrow("An object was expected.");
  });

  it("is the same after a round trip through JSON", () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const text = JSON.stringify(toPortableValue(value));
        expect(fromPortableValue(JSON.parse(text) as PortableValue)).toEqual(value);
      }),
    );
  });

  it("does not change objects that only look like tags", () => {
    expect(fromPortableValue({ $ref: "#/a" })).toEqual({ $ref: "#/a" });
  });

  it("refuses invalid content of a tag, and excessive depth", () => {
    expect(() => fromPortableValue({ $map: 1 })).toThrow(TypeError);
    expect(() => fromPortableValue({ $bigint: "one" })).toThrow(SyntaxError);
    for (const wrong of [
      { $bytes: "plain text" },
      { $bytes: 1 },
      { $date: "noon" },
      { $date: 5 },
      { $number: "one" },
      { $number: "" },
    ])
      expect(() => fromPortableValue(wrong)).toThrow(TypeError);
    const deep = JSON.parse(`${"[".repeat(2000)}${"]".repeat(2000)}`);
    expect(() => fromPortableValue(deep)).toThrow("512 levels");
  });
});

describe("JSON typed by a person", () => {
  it("keeps integers exact, and does not change strings and fractions", () => {
    const text =
      '{"id":12345678901234567890,"list":[-9007199254740993,1],"text":"12345678901234567890 \\" 1","part":0.1234567890123456789}';
    expect(fromPortableValue(parsePortableJson(text))).toEqual({
      id: 12345678901234567890n,
      list: [-9007199254740993n, 1],
      text: '12345678901234567890 " 1',
      part: 0.12345678901234568,
    });
  });

  it("is refused if it is not JSON", () => {
    expect(() => parsePortableJson("{12345678901234567890:1}")).toThrow(SyntaxError);
  });
});
