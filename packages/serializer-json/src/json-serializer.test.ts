import { type Serializer, WaybillError } from "@waybill/core";
import type { DeserializeContext } from "@waybill/core/serializer";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { json } from "./index.js";

const orderSchema = {
  type: "object",
  properties: { id: { type: "string" }, quantity: { type: "integer", minimum: 1 } },
  required: ["id"],
  additionalProperties: false,
};

describe("json", () => {
  it("writes compact UTF-8", () => {
    const bytes = write(json(), { id: "Zoë", tags: [] });
    expect(new TextDecoder().decode(bytes)).toBe('{"id":"Zoë","tags":[]}');
  });

  it("writes bodies of every size in UTF-8, and never writes over an earlier one", () => {
    const serializer = json();
    const texts = [1, 900, 2_700, 2_800, 10_000, 29_000, 30_000, 90_000].flatMap((length) =>
      ["a", "é", "€", "🙂"].map((character) => character.repeat(length)),
    );
    const bodies = texts.map((text) => write(serializer, text));
    expect(bodies.map((bytes) => new TextDecoder().decode(bytes))).toEqual(
      texts.map((text) => JSON.stringify(text)),
    );
  });

  it("has the JSON media types and structured suffix", () => {
    expect(json().mediaTypes).toEqual([
      "application/json",
      "text/json",
      "application/x-json",
      "text/x-json",
      "+json",
    ]);
  });

  it("throws a TypeError for an unknown option value", () => {
    expect(() => json({ byteOrderMark: "keep" as "strip" })).toThrow(
      new TypeError('json: byteOrderMark must be "strip" or "refuse", not "keep".'),
    );
  });

  it("returns what JSON.parse returns, for any JSON", () => {
    const serializer = json();
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), (text) => {
        fc.pre(!text.includes("__proto__") && !text.includes("constructor"));
        expect(read(serializer, text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it("agrees with JSON.parse on what is JSON, for any text", () => {
    const serializer = json();
    const tokens = fc.constantFrom(...'{}[],:"\\-+.eE019 ', "true", "nul", "\\u00e9", "\\x", "\t", "\u0001");
    fc.assert(
      fc.property(fc.array(tokens, { minLength: 1, maxLength: 12 }), (parts) => {
        const text = parts.join("");
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        const reason = isJson ? undefined : reasonOf(() => read(serializer, text));
        if (!isJson) expect(["malformed", "truncated", "trailing-bytes"]).toContain(reason);
      }),
      { numRuns: 2000 },
    );
  });

  describe("bytes", () => {
    it("refuses ill-formed UTF-8 instead of reading replacement characters", () => {
      expect(reasonOf(() => read(json(), Uint8Array.of(0x22, 0xff, 0x22)))).toBe("utf8-invalid");
    });

    it("reads a plain Uint8Array as bytes, not as a list of numbers", () => {
      expect(read(json(), Uint8Array.of(0x37))).toBe(7);
    });

    it("strips a byte order mark from declared JSON, or refuses it if configured", () => {
      const bytes = Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d);
      expect(read(json(), bytes)).toEqual({});
      expect(reasonOf(() => read(json({ byteOrderMark: "refuse" }), bytes))).toBe("malformed");
    });

    it("recognises undeclared JSON after a byte order mark and white space", () => {
      const undeclared = { isDeclared: false };
      for (const body of ["\ufeff{}", " \r\n\t{}", "\ufeff\n{} "])
        expect(read(json(), body, undeclared)).toEqual({});
      for (const body of ["\ufeff7", " 7", "\ufeff\ufeff{}", "\ufeff", " "])
        expect(reasonOf(() => read(json(), body, undeclared))).toBe("not-recognized");
      expect(reasonOf(() => read(json({ byteOrderMark: "refuse" }), "\ufeff{}", undeclared))).toBe(
        "malformed",
      );
    });

    it("recognises only objects and arrays as undeclared JSON", () => {
      expect(reasonOf(() => read(json(), "7", { isDeclared: false }))).toBe("not-recognized");
      expect(read(json(), "[]", { isDeclared: false })).toEqual([]);
    });

    it("reports UTF-16 text by its NUL characters", () => {
      expect(() => read(json(), Buffer.from('{"a":1}', "utf16le"))).toThrow(
        /NUL character, as in UTF-16 text/,
      );
    });

    it.each(["utf-8", "UTF-8", "utf8", "us-ascii"])("reads the charset %s", (charset) => {
      expect(read(json(), "{}", { mediaType: mediaType(charset) })).toEqual({});
    });

    it("refuses other charsets of declared JSON", () => {
      const failing = () => read(json(), "{}", { mediaType: mediaType("iso-8859-1") });
      expect(reasonOf(failing)).toBe("charset-unsupported");
    });

    it("ignores the charset of a type without this parameter", () => {
      expect(read(json(), "{}", { isDeclared: false, mediaType: mediaType("utf-16") })).toEqual({});
    });

    it("refuses an empty body", () => {
      expect(reasonOf(() => read(json(), ""))).toBe("body-empty");
    });
  });

  describe("syntax", () => {
    it.each([
      ['{"a":1', "truncated", 6],
      ['{"a":"secret', "truncated", 12],
      ["[tru", "truncated", 4],
      ["[1,", "truncated", 3],
      ["[-", "truncated", 2],
      ["[1,]", "malformed", 3],
      ['{"a" 1}', "malformed", 5],
      ["{a:1}", "malformed", 1],
      ["[01]", "malformed", 2],
      ["['a']", "malformed", 1],
      ['["\\x"]', "malformed", 1],
      ['["\u0001"]', "malformed", 1],
      ["{} {}", "trailing-bytes", 3],
      ["[1}", "malformed", 2],
    ])("refuses %s as %s at character %i", (text, reason, index) => {
      const error = errorOf(() => read(json(), text));
      expect(error.reason).toBe(reason);
      expect(error.message).toContain(`at character ${index}:`);
    });

    it("quotes no payload in its errors, unlike JSON.parse", () => {
      const error = errorOf(() => read(json(), '{"password": hunter2}'));
      expect(error.message).not.toContain("hunter2");
      expect(error.cause).toBeUndefined();
    });
  });

  describe("depth", () => {
    it("is limited when read, although JSON.parse has no limit", () => {
      const text = "[".repeat(1_000_000) + "]".repeat(1_000_000);
      expect(reasonOf(() => read(json(), text))).toBe("depth-exceeded");
    });

    it("ends in a refusal even if the limit exceeds the call stack", () => {
      const text = "[".repeat(100_000) + "]".repeat(100_000);
      expect(reasonOf(() => read(json(), text, { maxDepth: 1_000_000 }))).toBe("depth-exceeded");
    });
  });

  describe("keys", () => {
    it.each(['{"__proto__":{"isAdmin":true}}', '{"__proto__":1}', '[{"\\u005f\\u005fproto__":null}]'])(
      "refuses %s, which would replace a prototype when merged",
      (text) => expect(reasonOf(() => read(json(), text))).toBe("key-forbidden"),
    );

    it("refuses constructor.prototype but not a plain key constructor", () => {
      expect(reasonOf(() => read(json(), '{"constructor":{"prototype":{}}}'))).toBe("key-forbidden");
      expect(Object.entries(read(json(), '{"constructor":{"name":"Acme"}}') as object)).toEqual([
        ["constructor", { name: "Acme" }],
      ]);
    });

    it("does not write constructor.prototype, which it would not read", () => {
      const inner = { constructor: { prototype: 1 } };
      for (const value of [
        inner,
        Object.assign(Object.create(null), inner),
        [{ a: Object.assign(Object.create(null), inner) }],
      ])
        expect(() => write(json(), value)).toThrow(/a key "prototype" under "constructor"/);
    });

    it("keeps the last of duplicate keys, like JSON.parse", () => {
      expect(read(json(), '{"a":1,"a":2}')).toEqual({ a: 2 });
    });
  });

  describe("numbers", () => {
    const text =
      '{"id":12345678901234567891,"text":"12345678901234567891","rate":1.5e300,"list":[-9007199254740993]}';

    it("reads integers that a number would round as bigints", () => {
      expect(read(json(), text)).toEqual({
        id: 12345678901234567891n,
        text: "12345678901234567891",
        rate: 1.5e300,
        list: [-9007199254740993n],
      });
    });

    it("reads them as strings of digits, as numbers or not at all if configured", () => {
      expect(read(json({ readUnsafeIntegers: "string" }), text)).toMatchObject({
        id: "12345678901234567891",
      });
      expect(read(json({ readUnsafeIntegers: "number" }), text)).toMatchObject({ id: 12345678901234567000 });
      const failing = () => read(json({ readUnsafeIntegers: "refuse" }), text);
      expect(reasonOf(failing)).toBe("value-out-of-range");
    });

    it("reads back every number that JavaScript can write", () => {
      const serializer = json();
      fc.assert(
        fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
          expect(read(serializer, write(serializer, number))).toBe(Object.is(number, -0) ? 0 : number);
        }),
      );
    });

    it("refuses numbers beyond a double instead of reading Infinity", () => {
      expect(reasonOf(() => read(json(), "[1e400]"))).toBe("value-out-of-range");
    });

    it("writes bigints as numbers or strings if configured, and reads them back", () => {
      const body = { id: 12345678901234567891n, text: "x" };
      const asNumbers = json({ writeBigInts: "number" });
      expect(textOf(write(asNumbers, body))).toBe('{"id":12345678901234567891,"text":"x"}');
      expect(read(asNumbers, write(asNumbers, body))).toEqual(body);
      expect(textOf(write(json({ writeBigInts: "string" }), body))).toBe(
        '{"id":"12345678901234567891","text":"x"}',
      );
    });
  });

  describe("values that JSON.stringify would lose", () => {
    it.each([
      ["NaN, which it writes as null", { a: [Number.NaN] }, "/a/0 is a number that is not finite"],
      ["a Map, which it writes as {}", { a: new Map([[1, 2]]) }, "/a is an object of kind Map"],
      [
        "an error, even with members",
        { a: Object.assign(new Error("x"), { code: 1 }) },
        "/a is an object of kind Error",
      ],
      ["a bigint, for which it throws", { a: 1n }, "/a is a bigint (see the option writeBigInts)"],
      [
        "bytes, which it writes as an object",
        { a: Uint8Array.of(1) },
        "/a is bytes (see the option writeBytes)",
      ],
      [
        "a Buffer, which it writes as a list",
        { a: Buffer.from("x") },
        "/a is bytes (see the option writeBytes)",
      ],
      ["other typed arrays", [Float64Array.of(1)], "/0 is an object of kind Float64Array"],
      ["undefined in an array, which becomes null", [undefined], "/0 is a value of type undefined"],
      ["a function, which it omits", { run: () => 1 }, "/run is a value of type function"],
      ["an invalid date, which becomes null", { at: new Date(Number.NaN) }, "/at is an invalid date"],
      ["undefined", undefined, "its root is a value of type undefined"],
    ])("refuses %s, naming the path", (_, value, place) => {
      const error = errorOf(() => write(json(), value));
      expect(error.code).toBe("serialization-failed");
      expect(error.message).toContain(`at ${place}.`);
    });

    it("refuses a cycle by its path", () => {
      const order: Record<string, unknown> = { lines: [] };
      (order.lines as unknown[]).push({ order });
      expect(() => write(json(), order)).toThrow("at /lines/0/order is a cycle.");
    });

    it("writes bytes as base64 if configured", () => {
      expect(textOf(write(json({ writeBytes: "base64" }), { a: Uint8Array.of(1, 2, 255) }))).toBe(
        '{"a":"AQL/"}',
      );
    });

    it("writes dates as ISO strings and omits absent properties", () => {
      expect(textOf(write(json(), { at: new Date(0), note: undefined }))).toBe(
        '{"at":"1970-01-01T00:00:00.000Z"}',
      );
    });

    it("escapes lone surrogates, so that they are read back", () => {
      expect(textOf(write(json(), ["\ud800"]))).toBe('["\\ud800"]');
    });
  });

  it("refuses platform objects that it could only write as {}", () => {
    for (const object of [
      new Blob(["text"]),
      new Intl.DateTimeFormat("en"),
      new URLSearchParams("a=1"),
      Intl,
    ])
      for (const value of [object, [object], { a: object }])
        expect(errorOf(() => write(json(), value)).message).toMatch(/an object of kind \w+/);
    expect(textOf(write(json(), new URL("https://example.org/")))).toBe('"https://example.org/"');
  });

  describe("items", () => {
    const full = (count: number) => [
      `[${Array(count).fill("0").join()}]`,
      `[${Array(count).fill(" [ ] ").join()}]`,
      `{${Array.from({ length: count }, (_, key) => `"${key}":"[,{"`).join(" ,")}}`,
      `[${Array(count / 2)
        .fill('{"a\\\\":null}')
        .join()}]`,
      `${"[".repeat(count + 1)}${"]".repeat(count + 1)}`,
    ];

    it("are counted before any is created", () => {
      for (const text of full(1000)) {
        expect(() => read(json(), text, { maxItems: 1000, maxDepth: 1001 })).not.toThrow();
        expect(reasonOf(() => read(json(), text, { maxItems: 999, maxDepth: 1001 }))).toBe("items-exceeded");
        // The parser would refuse this text, but does not reach it.
        expect(reasonOf(() => read(json(), `${text}}`, { maxItems: 999, maxDepth: 1001 }))).toBe(
          "items-exceeded",
        );
      }
    });

    it("are not limited without a limit", () => {
      for (const text of full(1000)) expect(() => read(json(), text, { maxDepth: 1001 })).not.toThrow();
    });

    it("are not more in written values than readers accept", () => {
      const writing = {
        ...emptyContext,
        maxDepth: 128,
        maxItemsIn: (bytes: number) => Math.floor(bytes / 3),
      };
      expect(() => json().serialize([[], [], []], writing)).not.toThrow();
      expect(errorOf(() => json().serialize([0, 0, 0, 0, 0], writing)).message).toContain(
        "more than 3 items",
      );
    });
  });

  it("has the same result for a large body as for a small one", () => {
    const padded = (text: string) => `[${text},"${"x".repeat(70_000)}"]`;
    const refused: [string, string][] = [
      ['{"__proto__":1}', "key-forbidden"],
      ['{"\\u005f_proto__":1}', "key-forbidden"],
      ['{"constructor" : {"prototype":1}}', "key-forbidden"],
      ["1e400", "value-out-of-range"],
      ["-1E+400", "value-out-of-range"],
      ["9".repeat(400), "value-out-of-range"],
      ["[".repeat(128) + "]".repeat(128), "depth-exceeded"],
    ];
    for (const [text, reason] of refused) {
      expect(reasonOf(() => read(json(), `[${text}]`))).toBe(reason);
      expect(reasonOf(() => read(json(), padded(text)))).toBe(reason);
    }
    const [integer] = read(json(), padded("9007199254740993")) as unknown[];
    expect(integer).toBe(9007199254740993n);
    const allowed = read(json(), padded('{"constructor":1},"__proto__",-0.5e3')) as unknown[];
    expect(allowed.slice(0, 3)).toEqual([{ constructor: 1 }, "__proto__", -500]);
  });

  it("refuses depth in a large body before any value is created", () => {
    const deep = new Uint8Array(64 * 1024 * 1024).fill(0x5b);
    const start = process.cpuUsage();
    expect(reasonOf(() => read(json(), deep))).toBe("depth-exceeded");
    // Parsing it computes for seconds and takes gigabytes.
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(3_000);
  });

  describe("schemas", () => {
    it("validates when reading, naming the path and the keyword but no value", () => {
      const serializer = json({ schema: orderSchema });
      const error = errorOf(() => read(serializer, '{"id":"A-1","quantity":"secret"}'));
      expect(error.reason).toBe("schema-violation");
      expect(error.stage).toBe("validate");
      expect(error.message).toContain('breaks "type" of its schema at "/quantity".');
      expect(error.message).not.toContain("secret");
    });

    it("validates when writing", () => {
      const error = errorOf(() => write(json({ schema: orderSchema }), { quantity: 1 }));
      expect(error.code).toBe("serialization-failed");
      expect(error.message).toContain('"required"');
    });

    it("checks what the reader will get, such as the string of a date", () => {
      const schema = { properties: { at: { type: "string", format: "date-time" } } };
      expect(textOf(write(json({ schema }), { at: new Date(0) }))).toContain("1970");
    });

    it("accepts a bigint as an integer", () => {
      const schema = { type: "array", items: { type: "integer" } };
      expect(read(json({ schema }), "[12345678901234567891]")).toEqual([12345678901234567891n]);
      expect(reasonOf(() => read(json({ schema }), '[12345678901234567891,"x"]'))).toBe("schema-violation");
    });

    it("supports draft 2020-12 and, if $schema declares it, draft-07", () => {
      const tuple2020 = json({
        schema: { prefixItems: [{ type: "string" }], items: false, type: "array", minItems: 1 },
      });
      expect(reasonOf(() => read(tuple2020, "[1]"))).toBe("schema-violation");
      const Schema = "http://json-schema.org/draft-07/schema#";
      const tuple7 = json({
        schema: {
          $schema: Schema,
          type: "array",
          items: [{ type: "string" }],
          minItems: 1,
          additionalItems: false,
        },
      });
      expect(reasonOf(() => read(tuple7, "[1]"))).toBe("schema-violation");
    });

    it("can differ per message type, with schema as the default", () => {
      const serializer = json({ schema: false, schemas: { order: orderSchema, note: { type: "string" } } });
      expect(read(serializer, '{"id":"A"}', { messageType: "order" })).toEqual({ id: "A" });
      expect(read(serializer, '"hello"', { messageType: "note" })).toBe("hello");
      expect(reasonOf(() => read(serializer, "{}", { messageType: "toString" }))).toBe("schema-violation");
    });

    it("can be selected by a function of the message, and is compiled once", () => {
      const ajv = { compile: vi.fn(() => () => true) };
      const serializer = json({
        ajv,
        schemas: ({ messageType }) => (messageType === "order" ? orderSchema : undefined),
      });
      read(serializer, "{}", { messageType: "order" });
      read(serializer, "{}", { messageType: "order" });
      read(serializer, "{}", { messageType: "other" });
      expect(ajv.compile).toHaveBeenCalledTimes(1);
    });

    it("may be a Standard Schema, whose output is returned", () => {
      const schema = {
        "~standard": {
          version: 1 as const,
          vendor: "test",
          validate: (value: unknown) =>
            typeof value === "object"
              ? { value: { wrapped: value } }
              : { issues: [{ message: "no", path: ["a", { key: 0 }] }] },
        },
      };
      expect(read(json({ schema }), "{}")).toEqual({ wrapped: {} });
      expect(() => read(json({ schema }), "1")).toThrow('breaks its schema at "/a/0".');
    });

    it("may be a function that returns the value or throws", () => {
      const schema = (value: unknown) => {
        if (value === 7) throw new Error("secret");
        return value;
      };
      expect(read(json({ schema }), "8")).toBe(8);
      const error = errorOf(() => read(json({ schema }), "7"));
      expect(error.reason).toBe("schema-violation");
      expect(error.message).not.toContain("secret");
    });

    it("requires own properties, so that toString is missing from {}", () => {
      expect(reasonOf(() => read(json({ schema: { type: "object", required: ["toString"] } }), "{}"))).toBe(
        "schema-violation",
      );
    });

    it("does not change the value: no coercion, no defaults, no removal", () => {
      const schema = {
        type: "object",
        properties: { a: { type: "number" }, b: { type: "number", default: 1 } },
      };
      expect(read(json({ schema }), '{"c":1}')).toEqual({ c: 1 });
      expect(reasonOf(() => read(json({ schema }), '{"a":"1"}'))).toBe("schema-violation");
    });

    it("stops at the first of very many errors", () => {
      const schema = { type: "array", items: { type: "string" } };
      expect(errorOf(() => read(json({ schema }), JSON.stringify(Array(200_000).fill(1)))).message).toContain(
        '"/0".',
      );
    });

    it("refuses a body that is too deep for a recursive schema, for which ajv throws", () => {
      const schema = { $id: "tree", type: "array", items: { $ref: "tree" } };
      const text = "[".repeat(7000) + "]".repeat(7000);
      const reason = reasonOf(() => read(json({ schema }), text, { maxDepth: 100_000 }));
      expect(["schema-violation", "depth-exceeded"]).toContain(reason);
    });

    it("throws a TypeError at once for a schema that does not compile", () => {
      expect(() => json({ schema: { type: "objekt" } })).toThrow(TypeError);
      expect(() => json({ schema: { type: "string", format: "no-such-format" } })).toThrow(/no-such-format/);
      expect(() => json({ schema: { type: "object", requird: [] } })).toThrow(/requird/);
      expect(() => json({ schema: { $async: true, type: "object" } })).toThrow(/synchronously/);
    });

    it("ignores the configured keywords", () => {
      expect(
        read(json({ schema: { type: "object", "x-owner": "shop" }, extraKeywords: ["x-owner"] }), "{}"),
      ).toEqual({});
    });
  });

  describe("without Node's Buffer", () => {
    afterEach(() => {
      vi.unstubAllGlobals();
      vi.resetModules();
    });

    it("reads and writes the same", async () => {
      const given = write(json({ writeBytes: "base64" }), { name: "Zoë", raw: Uint8Array.of(255) });
      vi.stubGlobal("Buffer", undefined);
      vi.resetModules();
      const { json: bare } = await import("./index.js");
      const bytes = write(bare({ writeBytes: "base64" }), { name: "Zoë", raw: Uint8Array.of(255) });
      expect([...bytes]).toEqual([...given]);
      expect(read(bare(), bytes)).toEqual({ name: "Zoë", raw: "/w==" });
    });
  });
});

function write(serializer: Serializer, value: unknown): Uint8Array {
  const context = { ...emptyContext, maxDepth: 128 };
  return (serializer.serialize(value, context) as { bytes: Uint8Array }).bytes;
}

function read(
  serializer: Serializer,
  body: string | Uint8Array,
  context: Partial<DeserializeContext> = {},
): unknown {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return serializer.deserialize(bytes, { ...emptyContext, isDeclared: true, maxDepth: 128, ...context });
}

const emptyContext = {
  messageType: undefined,
  contentType: "application/json",
  mediaType: undefined,
  applicationProperties: {},
  abortSignal: undefined,
};

function mediaType(charset: string) {
  const parameters = new Map([["charset", charset]]);
  return { essence: "application/json", suffix: undefined, schemaId: undefined, parameters };
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function errorOf(act: () => unknown): WaybillError {
  try {
    act();
  } catch (error) {
    if (error instanceof WaybillError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

function reasonOf(act: () => unknown) {
  return errorOf(act).reason;
}
