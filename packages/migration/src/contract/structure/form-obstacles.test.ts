import { describe, expect, it } from "vitest";
import type {
  ContractChain,
  ContractSchema,
  ContractSerializer,
  ContractVersion,
} from "../model/contract.js";
import { formObstacles, type TypeOfService } from "./form-obstacles.js";

interface Side {
  readonly serializer?: Partial<ContractSerializer>;
  readonly version?: Partial<ContractVersion>;
  readonly chain?: Partial<ContractChain>;
  readonly removed?: readonly number[];
  readonly writes?: readonly number[];
}

const chain: ContractChain = {
  compression: false,
  contentEncoding: "undo",
  isEncrypted: false,
  hasClaimChecks: false,
};

/** A service with one version of one type, in JSON if nothing else is said. */
function service(name: string, side: Side): TypeOfService {
  const version = { version: 1, upcasts: [], isWritable: true, schemas: {}, ...side.version };
  return {
    contract: {
      waybillContract: 1,
      service: name,
      entities: { sends: [], receives: [] },
      serializers: [{ name: "json", mediaTypes: ["application/json"], options: {}, ...side.serializer }],
      messageTypes: [],
      ...(side.chain && { chain: { ...chain, ...side.chain } }),
    },
    type: {
      name: "order",
      aliases: [],
      version: 1,
      removed: side.removed ?? [],
      writes: (side.writes ?? []).map((number) => ({ version: number, serializer: "json" })),
      versions: [version],
    },
  };
}

/** Why `shop` does not read what `orders` writes, one line each. */
function obstacles(writer: Side, reader: Side, form = { version: 1, serializer: "json" }): readonly string[] {
  return formObstacles(service("orders", writer), service("shop", reader), form, {
    writesOnlyDeclared: false,
  }).map(({ kind, path, text }) => `${kind}${path === "" ? "" : ` at ${path}`}: ${text}`);
}

const json = (schema: unknown, fingerprint = JSON.stringify(schema)): ContractSchema => ({
  language: "json-schema",
  schema,
  fingerprint,
});
const code: ContractSchema = { language: "code" };
const body = (schema: ContractSchema) => ({ version: { body: schema } });
const own = (schema: ContractSchema) => ({ version: { schemas: { json: schema } } });
const text = json({ type: "string" });
const number = json({ type: "number" });

describe("a form that is not as the contracts say", () => {
  it.each<[string, Side, Side, { version: number; serializer: string } | undefined, string[]]>([
    ["nothing", {}, {}, undefined, []],
    [
      "a format that the writer does not have",
      {},
      {},
      { version: 1, serializer: "avro" },
      ["not-decided: the contract of orders does not describe version 1 in avro"],
    ],
    [
      "a version that the writer does not have",
      {},
      {},
      { version: 2, serializer: "json" },
      ["not-decided: the contract of orders does not describe version 2 in json"],
    ],
    [
      "a version that it says it writes, and cannot",
      { writes: [1], version: { isWritable: false } },
      {},
      undefined,
      ["breaks: no downcasters lead to version 1, so that it cannot be written"],
    ],
    ["a version that it cannot write, and does not", { version: { isWritable: false } }, {}, undefined, []],
    [
      "another version that it says it writes",
      { writes: [2], version: { isWritable: false } },
      {},
      undefined,
      [],
    ],
    [
      "a format that the reader does not read",
      { serializer: { mediaTypes: ["application/cbor", "application/json"] } },
      { chain: { isEncrypted: true } },
      undefined,
      ["breaks: no serializer of shop reads application/cbor"],
    ],
    [
      "a version that the reader does not know",
      {},
      { version: { version: 3 } },
      undefined,
      ["breaks: shop does not know version 1: it reads 3"],
    ],
    [
      "a version that the reader has removed",
      {},
      { version: { version: 3 }, removed: [1] },
      undefined,
      ["breaks: shop has removed version 1"],
    ],
    [
      "a serializer that does not describe itself",
      {},
      { serializer: { options: undefined } },
      undefined,
      ["not-decided: the serializer json does not describe itself"],
    ],
  ])("is told: %s", (_, writer, reader, form, expected) => {
    expect(obstacles(writer, reader, form)).toEqual(expected);
  });
});

describe("the chains of writer and reader", () => {
  it.each<[string, Partial<ContractChain>, Partial<ContractChain>, string[]]>([
    ["are alike", {}, {}, []],
    ["encrypt alike", { isEncrypted: true }, { isEncrypted: true }, []],
    [
      "differ in keys",
      { isEncrypted: true },
      {},
      ["breaks: bodies are encrypted, and the reader has no keys"],
    ],
    ["differ in encryption", {}, { isEncrypted: true }, ["breaks: the reader requires encrypted bodies"]],
    [
      "differ in the store",
      { hasClaimChecks: true },
      {},
      ["breaks: large bodies are kept in a store, and the reader has none"],
    ],
    ["have a store that is not used", {}, { hasClaimChecks: true }, []],
    [
      "differ in compression",
      { compression: "gzip" },
      { contentEncoding: "ignore" },
      ["breaks: bodies are compressed, and the reader does not decompress them"],
    ],
    ["compress and undo it", { compression: "gzip" }, {}, []],
    ["do not compress", {}, { contentEncoding: "ignore" }, []],
    ["have the same limits", { maxDepth: 5, maxBodyBytes: 7 }, { maxDepth: 5, maxBodyBytes: 7 }, []],
    ["have a higher limit to read", { maxDepth: 5 }, { maxDepth: 6 }, []],
    ["have a limit to write only", { maxDepth: 5 }, {}, []],
    [
      "have a lower limit to read",
      { maxDepth: 5 },
      { maxDepth: 4, maxBodyBytes: 1 },
      [
        "not-decided: the reader's limit maxBodyBytes is lower than the writer's: 1",
        "not-decided: the reader's limit maxDepth is lower than the writer's: 4",
      ],
    ],
  ])("%s", (_, writer, reader, expected) => {
    expect(obstacles({ chain: writer }, { chain: reader })).toEqual(expected);
  });

  it("are not compared if one of them is not known", () => {
    expect(obstacles({}, { chain: { isEncrypted: true } })).toEqual([]);
    expect(obstacles({ chain: { isEncrypted: true } }, {})).toEqual([]);
  });

  it("are told also where the reader lacks the format or the version", () => {
    const chains = { writer: { chain: { isEncrypted: true } }, reader: { chain: {} } };
    const keys = "breaks: bodies are encrypted, and the reader has no keys";
    expect(obstacles(chains.writer, { ...chains.reader, version: { version: 3 } })).toEqual([
      keys,
      "breaks: shop does not know version 1: it reads 3",
    ]);
    expect(obstacles(chains.writer, { ...chains.reader, serializer: { mediaTypes: [] } })).toEqual([
      keys,
      "breaks: no serializer of shop reads application/json",
    ]);
  });
});

describe("the schemas of values", () => {
  const notKnown = "not-decided: the writer has no JSON Schema of its values to compare with the reader's";
  const isCode = "not-decided: the reader's schema is code, of which nothing can be proved";
  const another = "breaks: string is not read as number";
  it.each<[string, Side, Side, string[]]>([
    ["are the same", body(text), body(text), []],
    ["are only the writer's", body(text), {}, []],
    ["differ", body(text), body(number), [another]],
    [
      "have the same fingerprint",
      body(json({ type: "string" }, "f1")),
      body(json({ type: "number" }, "f1")),
      [],
    ],
    ["are only the reader's", {}, body(text), [notKnown]],
    ["are only the reader's, and accept everything", {}, body(json({})), []],
    ["are code of the reader", body(text), body(code), [isCode]],
    ["are code of the writer", body(code), body(text), [notKnown]],
    ["are those of the format", own(text), own(number), [another]],
    ["are those of the format and of all formats", own(text), body(number), [another]],
    [
      "are several of the writer, of which one is enough",
      { version: { body: json({ minLength: 2, type: "string" }), schemas: { json: text } } },
      body(json({ type: "string", minLength: 1 })),
      [],
    ],
    [
      "are several of the reader, all of which count",
      body(text),
      { version: { body: number, schemas: { json: json({ type: "string", minLength: 1 }) } } },
      ["breaks: the reader accepts at least 1 characters", another],
    ],
    ["are one of another format", { version: { schemas: { cbor: text } } }, body(number), [another]],
    [
      "are one of another format, of which only the first counts",
      { version: { schemas: { avro: { language: "avro", schema: "string" }, cbor: text, xml: number } } },
      body(number),
      [another],
    ],
    [
      "are one of another format, unless there is one of its own",
      { version: { body: text, schemas: { cbor: number } } },
      body(number),
      [another],
    ],
    [
      "cannot be compared",
      body(json({ type: "object", patternProperties: { "(": {} } })),
      body(json({ type: "object", properties: { a: {} } })),
      ["not-decided: the schemas cannot be compared: Invalid regular expression: /(/u: Unterminated group"],
    ],
  ])("%s", (_, writer, reader, expected) => {
    expect(obstacles(writer, reader)).toEqual(expected);
  });
});

describe("the options of JSON", () => {
  const writing = (options: object, schema?: ContractSchema): Side => ({
    serializer: { options: { ...options } },
    version: schema === undefined ? {} : { body: schema },
  });
  const integer = json({ type: "integer" });
  const asTexts = "not-decided: the writer writes bigints as texts";
  const unsafe = (how: string) =>
    `not-decided: the writer writes bigints as numbers, and the reader has readUnsafeIntegers "${how}"`;
  it.each<[Side, object, string[]]>([
    [writing({ writeBigInts: "string" }, integer), {}, [asTexts]],
    [writing({ writeBigInts: "string" }, json({ properties: { a: { type: "number" } } })), {}, [asTexts]],
    [writing({ writeBigInts: "string" }, text), {}, []],
    [writing({ writeBigInts: "string" }), {}, []],
    [{ ...writing({ writeBigInts: "string" }), version: { schemas: { json: integer } } }, {}, []],
    [writing({ writeBigInts: "number" }, integer), { readUnsafeIntegers: "refuse" }, [unsafe("refuse")]],
    [writing({ writeBigInts: "number" }, integer), { readUnsafeIntegers: "string" }, [unsafe("string")]],
    [writing({ writeBigInts: "number" }, integer), { readUnsafeIntegers: "bigint" }, []],
    [writing({ writeBigInts: "number" }, text), { readUnsafeIntegers: "refuse" }, []],
    [writing({ writeBigInts: "refuse" }, integer), { readUnsafeIntegers: "refuse" }, []],
    [{ ...body(integer), serializer: { options: undefined } }, { readUnsafeIntegers: "refuse" }, []],
  ])("matter only for integers: %j read with %j", (writer, options, expected) => {
    expect(obstacles(writer, { serializer: { options: { ...options } } })).toEqual(expected);
  });
});

describe("a format that needs a schema", () => {
  const avroSerializer = (options: object = {}): Partial<ContractSerializer> => ({
    name: "avro",
    mediaTypes: ["application/avro"],
    needsSchema: true,
    options: { framing: "single-object", ...options },
  });
  const avro = (schema: unknown, more: object = {}): ContractSchema => ({
    language: "avro",
    schema: { schema, ...more },
  });
  const side = (schema: ContractSchema | undefined, options: object = {}): Side => ({
    serializer: avroSerializer(options),
    version: { schemas: schema === undefined ? {} : { avro: schema } },
  });
  const form = { version: 1, serializer: "avro" };
  const compare = (writer: Side, reader: Side) => obstacles(writer, reader, form);
  const unknown =
    "breaks: the reader does not know the writer's Avro schema, whose fingerprint stands in the body: list it in the reader's writerSchemas first, or give the change a version of its own";
  const day = { type: "int", logicalType: "date" };
  const record = (type: unknown, more: object = {}) => ({
    type: "record",
    name: "R",
    fields: [{ name: "a", type, ...more }],
  });

  it("needs it on both sides, and in its language", () => {
    const missing = (whose: string) =>
      `not-decided: the contract has no schema of avro for it on the ${whose} side`;
    expect(compare(side(undefined), side(avro("int")))).toEqual([missing("writer's")]);
    expect(compare(side(avro("int")), side(undefined))).toEqual([missing("reader's")]);
    expect(compare(side(undefined), side(undefined))).toEqual([missing("writer's")]);
    const chosen = "not-decided: the schema of avro is chosen by code";
    expect(compare(side(code), side(avro("int")))).toEqual([chosen]);
    expect(compare(side(avro("int")), side(code))).toEqual([
      chosen,
      "not-decided: the reader's schema is code, of which nothing can be proved",
    ]);
    const asn = { language: "asn.1", schema: {} };
    const other = (language: string) => `not-decided: schemas in the language ${language} are not compared`;
    expect(compare(side(asn), side(asn))).toEqual([other("asn.1")]);
    expect(compare(side(avro("int")), side(asn))).toEqual([other("asn.1")]);
    expect(compare(side(asn), side(avro("int")))).toEqual([other("avro")]);
  });

  it("checks no values by the schema of another format", () => {
    const version = { schemas: { avro: avro("int"), json: number } };
    expect(compare(side(avro("int")), { serializer: avroSerializer(), version })).toEqual([]);
  });

  it("is read if the reader knows the writer's schema, by its fingerprint", () => {
    expect(compare(side(avro("int")), side(avro("int")))).toEqual([]);
    expect(compare(side(avro("int")), side(avro("long")))).toEqual([unknown]);
    expect(compare(side(avro("int")), side(avro("long", { writerSchemas: [{ schema: "int" }] })))).toEqual(
      [],
    );
    const listed = avro("string", { writerSchemas: [{ schema: "int" }] });
    expect(compare(side(avro("int")), side(listed))).toEqual(["breaks: int is not read as string"]);
  });

  it("is read with the logical types of the schema that the reader has under that fingerprint", () => {
    const plain = compare(side(avro(record(day))), side(avro(record("int"))));
    expect(plain).toEqual(compare(side(avro(record(day))), side(avro(record("int"), { writerSchemas: [] }))));
    expect({
      "a date as its number": plain,
      "a number as a date": compare(side(avro(record("int"))), side(avro(record(day)))),
      "a date as a date": compare(side(avro(record(day))), side(avro(record(day)))),
      "a date, known as a number, as a date": compare(
        side(avro(record(day))),
        side(avro(record(day, { default: 0 }), { writerSchemas: [{ schema: record("int") }] })),
      ),
      "a number, known as a date, as a long": compare(
        side(avro(record("int"))),
        side(avro(record("long"), { writerSchemas: [{ schema: record(day) }] })),
      ),
    }).toMatchInlineSnapshot(`
      {
        "a date as a date": [],
        "a date as its number": [],
        "a date, known as a number, as a date": [],
        "a number as a date": [
          "not-decided at a: only values within the range of date are read, and the writer has no logical type",
        ],
        "a number, known as a date, as a long": [
          "not-decided at a: only values within the range of date are read, and the writer has no logical type",
        ],
      }
    `);
  });

  const byId = { framing: "registry" };
  it("is read if the reader has the writer's schema under its id, or gets it from the registry", () => {
    const notById =
      "breaks: the reader does not know the Avro schema with the id 7: list it in its writerSchemas, or give it schemaById";
    const written = side(avro("int", { schemaId: "7" }), byId);
    expect(compare(written, side(avro("int", { schemaId: "7" }), byId))).toEqual([]);
    expect(
      compare(written, side(avro("long", { writerSchemas: [{ schema: "int", schemaId: "7" }] }), byId)),
    ).toEqual([]);
    expect(compare(written, side(avro("int", { schemaId: "8" }), byId))).toEqual([notById]);
    expect(compare(written, side(avro("long", { schemaId: "7" }), byId))).toEqual([
      "breaks: the reader has another Avro schema under the id 7",
    ]);
    expect(compare(written, side(avro("long"), { ...byId, schemaById: true }))).toEqual([]);
    expect(compare(written, side(avro("string"), { ...byId, schemaById: true }))).toEqual([
      "breaks: int is not read as string",
    ]);
    const lookedUp = side(avro("int"), byId);
    expect(compare(lookedUp, side(avro("int"), { ...byId, schemaById: true }))).toEqual([]);
    expect(compare(lookedUp, side(avro("int"), byId))).toEqual([
      "breaks: the reader does not know the Avro schema with the id undefined: list it in its writerSchemas, or give it schemaById",
    ]);
  });

  it("is read in Confluent's framing if the reader accepts that", () => {
    const written = side(avro("int", { schemaId: "7" }), { framing: "confluent" });
    const refusal =
      "breaks: bodies have Confluent's framing, and the reader does not accept it (acceptsConfluent)";
    expect(compare(written, side(avro("int", { schemaId: "7" })))).toEqual([refusal]);
    expect(compare(written, side(avro("int", { schemaId: "7" }), { acceptsConfluent: true }))).toEqual([]);
    expect(compare(written, side(avro("long"), { acceptsConfluent: true, schemaById: true }))).toEqual([]);
  });
});
