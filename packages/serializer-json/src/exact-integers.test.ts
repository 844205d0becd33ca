import { type Serializer, WaybillError } from "@waybill/core";
import type { DeserializeContext } from "@waybill/core/serializer";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withExactIntegers } from "./exact-integers.js";
import { type JsonBodySchema, json } from "./index.js";

/** 2^53 and adjacent integers, of which a number rounds the odd ones. */
const [below, at, above] = ["9007199254740991", "9007199254740992", "9007199254740993"];

const context: DeserializeContext = {
  contentType: "application/json",
  mediaType: undefined,
  messageType: undefined,
  applicationProperties: {},
  abortSignal: undefined,
  isDeclared: true,
  maxDepth: 128,
};

function read(serializer: Serializer, text: string): unknown {
  return serializer.deserialize(new TextEncoder().encode(text), context);
}

/** Whether a schema accepts a JSON text. */
function takes(schema: JsonBodySchema, text: string, options: Parameters<typeof json>[0] = {}): boolean {
  try {
    read(json({ ...options, schema }), text);
    return true;
  } catch (error) {
    if (error instanceof WaybillError && error.reason === "schema-violation") return false;
    throw error;
  }
}

describe("integers beyond 2^53", () => {
  it("are bigints if a number would round them, and everything else is as from JSON.parse", () => {
    const integer = fc
      .oneof(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), fc.bigInt({ min: -99n, max: 99n }))
      .map((value) => new Raw(String(value)));
    const plain = fc.oneof(integer, fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: "small" },
        plain,
        fc.array(tie("tree"), { maxLength: 4 }),
        fc
          .array(fc.tuple(fc.constantFrom("a", "b", "0", 'é"\\n', "long key"), tie("tree")))
          .map((entries) => new Members(entries)),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.constantFrom("", " ", "\n\t"), (value, space) => {
        const text = toText(value, space);
        expect(withExactIntegers(text, JSON.parse(text))).toEqual(exactValue(value));
      }),
      { numRuns: 2_000 },
    );
  });

  it("with a duplicate key are only read from its last value", () => {
    const pairs: [string, unknown][] = [
      [`{"a":${above},"a":${at}}`, { a: 2 ** 53 }],
      [`{"a":${at},"a":${above}}`, { a: 2n ** 53n + 1n }],
      [`{"a":${above},"a":[${above},1]}`, { a: [2n ** 53n + 1n, 1] }],
      [`{"a":[${above},${above}],"a":[${at}]}`, { a: [2 ** 53] }],
      [`{"a":{"b":${above}},"a":{"b":${at},"c":null}}`, { a: { b: 2 ** 53, c: null } }],
      [`{"a":{"b":[[${above}]]},"a":"x","b":1e300}`, { a: "x", b: 1e300 }],
      [`{"a":{"b":${above},"b":${at}},"a":{"b":${at},"b":${above}}}`, { a: { b: 2n ** 53n + 1n } }],
      [`{"a":${above},"\\u0061":[${at}],"b":${above}}`, { a: [2 ** 53], b: 2n ** 53n + 1n }],
    ];
    for (const [text, value] of pairs) expect(read(json(), text)).toEqual(value);
  });

  it("are the last of three values of a key, at every level", () => {
    const nested = (level: number): string =>
      level === 0 ? "[]" : `{"a":${above},"a":${nested(level - 1)},"a":${above}}`;
    expect(read(json(), nested(1))).toEqual({ a: 2n ** 53n + 1n });
    expect(read(json(), nested(100))).toEqual({ a: 2n ** 53n + 1n });
    expect(() => read(json({ readUnsafeIntegers: "refuse" }), `{"a":${above},"a":1,"b":1e17}`)).not.toThrow();
  });

  it("do not need a copy of a text that consists of them", () => {
    const text = `[${Array(50_000).fill("12345678901234567").join()}]`;
    const value = read(json(), text) as bigint[];
    expect(value.length).toBe(50_000);
    expect(new Set(value)).toEqual(new Set([12345678901234567n]));
  });
});

describe("a JSON Schema", () => {
  const drafts = [{}, { $schema: "http://json-schema.org/draft-07/schema#" }];

  it.each<[string, object, taken: string[], refused: string[]]>([
    ["maximum", { maximum: 2 ** 53 }, [at], [above, "9".repeat(30)]],
    ["minimum", { minimum: -(2 ** 53) }, [`-${at}`], [`-${above}`, `-${"9".repeat(30)}`]],
    ["exclusiveMaximum", { exclusiveMaximum: 2 ** 53 + 2 }, [above], ["9007199254740994"]],
    ["exclusiveMinimum", { exclusiveMinimum: 2 ** 53 }, [above], [at]],
    ["multipleOf", { multipleOf: 3 }, ["9007199254740993"], ["9007199254740995", "9007199254740997"]],
    ["multipleOf a fraction", { multipleOf: 0.01 }, [above], []],
    ["multipleOf a fraction above one", { multipleOf: 1.5 }, [above], ["9007199254740995"]],
    ["multipleOf a power of ten", { multipleOf: 1e21 }, [`3${"0".repeat(21)}`], [`3${"0".repeat(20)}1`]],
    ["const", { const: 2 ** 53 }, [at], [above]],
    ["enum", { enum: [2 ** 53, "x"] }, [at, '"x"'], [above]],
    ["uniqueItems", { uniqueItems: true }, [`[${at},${above}]`], [`[${above},1,${above}]`]],
    [
      "uniqueItems of objects",
      { uniqueItems: true },
      [`[{"a":${at}},{"a":${above}}]`],
      [`[{"a":${above},"b":1},{"b":1,"a":${above}}]`],
    ],
    ["not", { not: { maximum: 2 ** 53 } }, [above], [at]],
    ["if", { if: { maximum: 2 ** 53 }, else: false }, [at], [above]],
    ["anyOf", { anyOf: [{ maximum: 2 ** 53 }, { const: 5 }] }, [at], [above]],
    ["oneOf", { oneOf: [{ maximum: 2 ** 53 }, { type: "integer" }] }, [above], [at]],
    ["$ref", { $ref: "#/definitions/n", definitions: { n: { maximum: 2 ** 53 } } }, [at], [above]],
    ["type", { type: "integer" }, [above, at], [`"${above}"`, "1.5"]],
    ["several types", { type: ["string", "number"] }, [above, '"x"'], ["null", `[${above}]`]],
    ["a type that is not a number", { type: "string" }, ['"x"'], [above]],
    ["nullable", { type: "integer", nullable: true, minimum: 0 }, [above, "null"], [`-${above}`]],
    ["format int64", { format: "int64", type: "integer" }, ["9223372036854775807"], ["9223372036854775808"]],
    ["format int32", { format: "int32", type: "integer" }, ["7"], [above]],
    [
      "properties named like keywords",
      { properties: { type: { type: "integer", maximum: 2 ** 53 } } },
      [`{"type":${at}}`],
      [`{"type":${above}}`],
    ],
    [
      "items",
      { type: "array", items: { type: "integer", maximum: 2 ** 53 } },
      [`[1,${at}]`],
      [`[1,${above}]`],
    ],
  ])("validates them as integers: %s", (_, schema, taken, refused) => {
    for (const draft of drafts) {
      for (const text of taken) expect([text, takes({ ...draft, ...schema }, text)]).toEqual([text, true]);
      for (const text of refused) expect([text, takes({ ...draft, ...schema }, text)]).toEqual([text, false]);
    }
  });

  it("names the keyword that an integer breaks", () => {
    const serializer = json({ schema: { properties: { n: { type: "string" } } } });
    expect(() => read(serializer, `{"n":${above}}`)).toThrow('breaks "type" of its schema at "/n"');
  });

  it("can refer to others by their ids", () => {
    const serializer = json({
      schemas: {
        limit: { $id: "limit", type: "integer", maximum: 2 ** 53 },
        order: { $id: "order", properties: { total: { $ref: "limit" } } },
      },
    });
    const order = (text: string) =>
      serializer.deserialize(new TextEncoder().encode(text), { ...context, messageType: "order" });
    expect(order(`{"total":${at}}`)).toEqual({ total: 2 ** 53 });
    expect(() => order(`{"total":${above}}`)).toThrow(/maximum/);
  });

  it("validates them with every option for integers", () => {
    const schema = { type: "integer", minimum: 0, maximum: 2 ** 53 + 2 } as const;
    const serializer = json({ schema, readUnsafeIntegers: "string" });
    expect(read(serializer, above)).toBe(above);
    expect(takes(schema, "9007199254740995", { readUnsafeIntegers: "string" })).toBe(false);
    expect(takes((value) => expect(value).toBe(above), above, { readUnsafeIntegers: "string" })).toBe(true);
  });

  it("validates them when a value is written", () => {
    const serializer = json({ schema: { maximum: 2 ** 53 }, writeBigInts: "number" });
    const writing = { ...context, maxDepth: 128 };
    expect(() => serializer.serialize(2n ** 53n, writing)).not.toThrow();
    expect(() => serializer.serialize(2n ** 53n + 1n, writing)).toThrow(/maximum/);
  });

  it("validates the nearest numbers if it is compiled by an ajv of the application", () => {
    const ajv = new Ajv2020();
    const schema = { type: "integer", maximum: 2 ** 53 + 2 } as const;
    expect(takes(schema, above, { ajv })).toBe(true);
    expect(takes(schema, "9".repeat(20), { ajv })).toBe(false);
    expect(takes({ maximum: 5 }, above, { ajv })).toBe(false);
    expect(read(json({ ajv, schema }), below)).toBe(2 ** 53 - 1);
  });
});

describe("uniqueItems", () => {
  it("takes time in proportion to the number of items, not to its square", () => {
    const items = Array.from({ length: 30_000 }, (_, id) => ({ id, tags: [id, "__proto__"] }));
    const schema = { uniqueItems: true } as const;
    const start = process.cpuUsage();
    expect(takes(schema, JSON.stringify(items))).toBe(true);
    expect(takes(schema, JSON.stringify([...items, { tags: [7, "__proto__"], id: 7 }]))).toBe(false);
    // Comparing each pair of items would compute for half a minute. Time on the processor does not depend on what else runs.
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(10_000);
  });

  it("distinguishes dates and bytes, which values of other formats have", () => {
    const { compileSchema } = json();
    const check = compileSchema?.({ uniqueItems: true }, "a message type");
    const [one, other] = [new Date(1), new Date(2)];
    for (const items of [
      [one, other],
      [{ at: one }, { at: other }],
      [Uint8Array.of(1), Uint8Array.of(2)],
      [one, 2n ** 60n],
    ])
      expect(check?.(items).isValid).toBe(true);
    for (const items of [
      [one, new Date(1)],
      [Uint8Array.of(1), Uint8Array.of(1)],
      [2n ** 60n, one, 2 ** 60],
    ])
      expect(check?.(items).isValid).toBe(false);
  });

  it("distinguishes values of different types", () => {
    const text = '[1,"1",true,"true",null,"null",[1],["1"],{"a":1},"{\\"a\\":1}",{"a":"1"},0,"__proto__"]';
    expect(takes({ uniqueItems: true }, text)).toBe(true);
    for (const pair of [
      "0,-0",
      "1,1.0",
      '"__proto__","__proto__"',
      "[[]],[[]]",
      '{"a":1,"b":2},{"b":2,"a":1}',
    ])
      expect(takes({ uniqueItems: true }, `[${pair}]`)).toBe(false);
    expect(takes({ uniqueItems: false }, "[1,1]")).toBe(true);
  });
});

/** A number as text. */
class Raw {
  readonly digits: string;
  constructor(digits: string) {
    this.digits = digits;
  }
}

/** An object that may have duplicate keys. */
class Members {
  readonly entries: readonly [string, unknown][];
  constructor(entries: readonly [string, unknown][]) {
    this.entries = entries;
  }
}

function toText(value: unknown, space: string): string {
  if (value instanceof Raw) return value.digits;
  if (Array.isArray(value)) return `[${space}${value.map((item) => toText(item, space)).join(`${space},`)}]`;
  if (!(value instanceof Members)) return JSON.stringify(value);
  const members = value.entries.map(
    ([key, item]) => `${JSON.stringify(key)}${space}:${space}${toText(item, space)}`,
  );
  return `{${members.join(`,${space}`)}${space}}`;
}

function exactValue(value: unknown): unknown {
  if (value instanceof Raw) {
    const number = Number(value.digits);
    return String(number) === value.digits ? number : BigInt(value.digits);
  }
  if (Array.isArray(value)) return value.map(exactValue);
  if (!(value instanceof Members)) return JSON.parse(JSON.stringify(value));
  return Object.fromEntries(value.entries.map(([key, item]) => [key, exactValue(item)]));
}
