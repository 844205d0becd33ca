import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseMediaType } from "./media-type.js";

describe("parseMediaType", () => {
  it("ignores letter case, white space and parameters", () => {
    expect(parseMediaType(" Application/JSON ; Charset=UTF-8")).toEqual({
      essence: "application/json",
      suffix: undefined,
      schemaId: undefined,
      parameters: new Map([["charset", "UTF-8"]]),
    });
  });

  it("separates the structured suffix", () => {
    expect(parseMediaType("application/vnd.acme.order.v3+json")).toMatchObject({
      essence: "application/vnd.acme.order.v3+json",
      suffix: "+json",
    });
  });

  it("reads the schema id of avro/binary+<id> without changing its letter case", () => {
    expect(parseMediaType("avro/binary+ABCdef0123")).toMatchObject({
      essence: "avro/binary",
      suffix: undefined,
      schemaId: "ABCdef0123",
    });
    expect(parseMediaType("  Avro/Binary+ABC; charset=x")).toMatchObject({
      essence: "avro/binary",
      schemaId: "ABC",
    });
  });

  it("reads a registry's id of 32 hex digits as a schema id, not as a suffix", () => {
    const id = "0123456789ABCDEF0123456789abcdef";
    expect(parseMediaType(`application/json+${id}`)).toMatchObject({
      essence: "application/json",
      schemaId: id,
    });
  });

  it("unquotes parameters and keeps the first of duplicates", () => {
    expect(parseMediaType('a/b; X="1;2"; x=3')?.parameters).toEqual(new Map([["x", "1;2"]]));
  });

  it.each([
    "",
    " ",
    "json",
    "a/",
    "/b",
    "a/b/c",
    "a b/c",
    "application / json",
    "a/b; =",
    "a/b\u0000",
    "ä/ö",
    `${"a".repeat(2000)}/b`,
  ])("reports %j as malformed", (text) => {
    expect(parseMediaType(text)).toBeUndefined();
  });

  it("reads parameters that are named like inherited members without harm", () => {
    expect(parseMediaType("a/b; __proto__=x; constructor=y")?.parameters.get("__proto__")).toBe("x");
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it("does not throw for any text", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: fc.constantFrom(...'aA/;="\\+ \t0é') })),
        (text) => {
          const parsed = parseMediaType(text);
          if (parsed !== undefined) expect(parsed.essence).toMatch(/^[^/]+\/[^/]+$/);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
