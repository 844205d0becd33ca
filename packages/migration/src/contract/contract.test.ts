import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bodyType, createPipeline, defineMessage, type Pipeline, WaybillError } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { jsonSchema } from "@waybill/serializer-json/json-schema";
import { msgpack } from "@waybill/serializer-msgpack";
import { protobuf } from "@waybill/serializer-protobuf";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ordersPipeline } from "../../test/orders.js";
import {
  type CheckContractOptions,
  checkContract,
  contractOf,
  describeFinding,
  formatContract,
  goldenCounterexample,
  parseContract,
  toGitHubAnnotations,
  toSarif,
} from "../contract.js";
import { checkGoldenMessages, writeGoldenMessages } from "../golden.js";
import { protobufOf } from "./corpus.test-support.js";

const closed = (
  properties: Record<string, unknown>,
  required: readonly string[] = Object.keys(properties),
) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

/** A service with one message type in JSON. */
function service(
  json1: unknown,
  more: { readonly version?: number; readonly [name: string]: unknown } = {},
): Pipeline {
  return createPipeline({
    serializer: json(),
    messageTypes: [
      defineMessage("order-placed", { version: 1, schemas: { 1: { json: json1 } }, ...more } as never),
    ],
  });
}

/** Checks a chain against an earlier one. */
async function compare(before: Pipeline, now: Pipeline, options: Partial<CheckContractOptions> = {}) {
  const check = await checkContract({
    contract: contractOf(now, { service: "orders" }),
    pipeline: now,
    baselines: [{ name: "main", contract: contractOf(before, { service: "orders" }) }],
    ...options,
  });
  const verdicts = Object.fromEntries(
    check.findings.map(({ direction, version, serializer, verdict }) => [
      `${direction} ${version} ${serializer}`,
      verdict,
    ]),
  );
  return { check, verdicts };
}

const text = { type: "string" };
const integer = { type: "integer" };

describe("a contract", () => {
  it("says what a chain writes and reads", () => {
    const contract = contractOf(ordersPipeline(), {
      service: "orders",
      sends: ["orders"],
      receives: ["b", "a"],
    });
    expect(contract).toMatchObject({
      waybillContract: 1,
      service: "orders",
      entities: { sends: ["orders"], receives: ["a", "b"] },
      serializers: [
        { name: "msgpack", options: {} },
        { name: "avro", needsSchema: true, options: { framing: "single-object", schemaById: false } },
        { name: "json", options: { readUnsafeIntegers: "bigint" } },
      ],
      messageTypes: [
        {
          name: "order-placed",
          version: 3,
          unversioned: 1,
          writes: [{ version: 3, serializer: "msgpack" }],
          versions: [
            {
              version: 1,
              upcasts: [2, 3],
              isWritable: true,
              body: undefined,
              schemas: { json: { language: "json-schema" } },
            },
            { version: 2, upcasts: [3], body: { language: "code" }, schemas: { avro: { language: "avro" } } },
            { version: 3, upcasts: [], body: { language: "code" }, schemas: {} },
          ],
        },
      ].map(({ versions, ...type }) => ({
        ...type,
        versions: versions.map(({ body, ...each }) => ({ ...each, ...(body && { body }) })),
      })),
    });
  });

  it("is the same text each time, and is read back as it was", () => {
    const write = () => formatContract(contractOf(ordersPipeline(), { service: "orders" }));
    expect(write()).toBe(write());
    expect(formatContract(parseContract(write(), "file"))).toBe(write());
  });

  it("has one order, whatever the order of definitions and options", () => {
    const types = ["b", "c", "a"].map((name) =>
      defineMessage(name, { version: 3, unused: [1], removed: [2], aliases: [`${name}z`, `${name}y`] }),
    );
    const pipeline = createPipeline({ serializer: json(), messageTypes: types });
    const forms = [
      { version: 1, serializer: "json" },
      { version: 2, serializer: "msgpack" },
      { version: 2, serializer: "avro" },
      { version: 2, serializer: "avro" },
    ];
    const { messageTypes } = contractOf(pipeline, { service: "s", alsoWrites: { a: forms } });
    expect(messageTypes.map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(messageTypes[0]).toMatchObject({
      aliases: ["ay", "az"],
      removed: [2],
      writes: [
        { version: 3, serializer: "json" },
        { version: 2, serializer: "avro" },
        { version: 2, serializer: "msgpack" },
        { version: 1, serializer: "json" },
      ],
    });
  });

  it("has the JSON Schema of a Standard Schema, and calls a function code", () => {
    const type = defineMessage("a", { version: 1, schemas: { 1: z.object({ id: z.number() }) } });
    const { messageTypes } = contractOf(createPipeline({ serializer: json(), messageTypes: [type] }), {
      service: "s",
    });
    expect(messageTypes[0]?.versions[0]?.body).toMatchObject({
      language: "json-schema",
      schema: { properties: { id: { type: "number" } } },
    });
  });

  it("has only the types that a Protobuf message needs", () => {
    const { registry, message } = protobufOf(
      "message Order { Line line = 1; Status status = 2; } message Line { string sku = 1; } message Invoice { int32 no = 1; } enum Status { OPEN = 0; } enum Color { RED = 0; }",
    );
    const { messageTypes } = contractOf(
      createPipeline({
        serializer: protobuf({ registry, typeOf: () => message }),
        messageTypes: [defineMessage("a", { version: 1 })],
      }),
      { service: "s" },
    );
    expect(messageTypes[0]?.versions[0]?.schemas.protobuf?.schema).toMatchObject({
      message: "shop.Order",
      files: [{ messageType: [{ name: "Order" }, { name: "Line" }], enumType: [{ name: "Status" }] }],
    });
  });

  it.each([
    ["{", "not JSON"],
    ["{}", "no member waybillContract"],
    ['{"waybillContract":2}', "the format 2"],
    ['{"waybillContract":1,"service":""}', "names no service"],
  ])("is refused if it is no contract file: %s", (file, why) => {
    expect(() => parseContract(file, "orders.json")).toThrow(WaybillError);
    expect(() => parseContract(file, "orders.json")).toThrow(why);
  });
});

describe("a check", () => {
  it("finds what the new chain does not read, with the smallest value that fails", async () => {
    const { check, verdicts } = await compare(
      service(closed({ id: integer })),
      service(closed({ id: integer, customer: text })),
    );
    expect(verdicts).toEqual({
      "backward 1 json": "incompatible",
      "forward 1 json": "incompatible",
      "within 1 json": "compatible",
    });
    expect(check.findings[0]).toMatchObject({
      obstacles: [{ kind: "breaks", path: "customer", text: expect.stringContaining("requires it") }],
      trial: { counterexample: { value: { id: 0 }, stage: "validate", reason: "schema-violation" } },
    });
  });

  it("says yes when both proofs agree", async () => {
    const { check } = await compare(
      service(closed({ id: integer })),
      service(closed({ id: integer, note: text }, ["id"])),
      { mode: "backward" },
    );
    expect(check.verdict).toBe("compatible");
    expect(check.findings.every(({ trial }) => trial.tried > 0)).toBe(true);
  });

  it("takes the user's word that writers write only what their schemas name", async () => {
    const [before, now] = [
      { type: "object", properties: { id: integer } },
      { type: "object", properties: { id: integer, note: text } },
    ];
    expect((await compare(service(before), service(now))).verdicts["backward 1 json"]).toBe("incompatible");
    const said = await compare(service(before), service(now), { writesOnlyDeclared: true });
    expect(said.check.verdict).toBe("compatible");
  });

  it("says not decided where a schema is code", async () => {
    const pipeline = createPipeline({
      serializer: json(),
      messageTypes: [defineMessage("a", { version: 1, schemas: { 1: { body: (value: unknown) => value } } })],
    });
    const { check } = await compare(pipeline, pipeline);
    expect(check.verdict).toBe("not-decided");
    expect(check.findings[0]?.obstacles[0]?.text).toContain("code");
  });

  it("finds a format that readers lack", async () => {
    const type = defineMessage("a", { version: 1, schemas: { 1: { body: bodyType() } } });
    const before = createPipeline({ serializer: json(), messageTypes: [type] });
    const now = createPipeline({
      serializer: msgpack(),
      additionalDeserializers: [json()],
      messageTypes: [type],
    });
    const { check } = await compare(before, now);
    expect(check.findings.find(({ direction }) => direction === "forward")).toMatchObject({
      verdict: "incompatible",
      obstacles: [{ text: "no serializer of orders reads application/vnd.msgpack" }],
    });
  });

  it("finds a version that running readers do not know", async () => {
    const v2 = {
      version: 2,
      schemas: { 1: { json: closed({ id: integer }) }, 2: { json: closed({ no: text }) } },
    };
    const upcasters = { 1: ({ id }: { id: number }) => ({ no: String(id) }) };
    const { verdicts, check } = await compare(
      service(closed({ id: integer })),
      service(undefined, { ...v2, upcasters }),
    );
    expect(verdicts).toMatchObject({
      "backward 1 json": "compatible",
      "forward 2 json": "incompatible",
      "within 1 json": "compatible",
    });
    expect(
      describeFinding(check.findings.find(({ direction }) => direction === "forward")!).advice,
    ).toContain("readers first");
  });

  it("leaves open what it knows nothing of: a format that is said to be written, and is not in the chain", async () => {
    const pipeline = service(closed({ id: integer }));
    const alsoWrites = { "order-placed": [{ version: 1, serializer: "xml" }] };
    const check = await checkContract({
      contract: contractOf(pipeline, { service: "orders", alsoWrites }),
      pipeline,
    });
    expect(check.findings.find(({ serializer }) => serializer === "xml")).toMatchObject({
      verdict: "not-decided",
      obstacles: [{ text: "the contract of orders does not describe version 1 in xml" }],
    });
  });

  it("says on which side the schema of a format is missing", async () => {
    const definition = { type: "record", name: "R", fields: [] };
    const now = createPipeline({
      serializer: avro(),
      messageTypes: [defineMessage("a", { version: 1, schemas: { 1: { avro: definition } } })],
    });
    const contract = contractOf(now, { service: "orders" });
    const messageTypes = contract.messageTypes.map((type) => ({
      ...type,
      versions: type.versions.map((version) => ({ ...version, schemas: {} })),
    }));
    const check = await checkContract({
      contract,
      pipeline: now,
      baselines: [{ name: "main", contract: { ...contract, messageTypes } }],
    });
    const ofForward = check.findings.find(({ direction }) => direction === "forward");
    expect(ofForward?.obstacles).toMatchObject([
      { text: "the contract has no schema of avro for it on the reader's side" },
    ]);
    const ofBackward = check.findings.find(({ direction }) => direction === "backward");
    expect(ofBackward?.obstacles).toMatchObject([
      { text: "the contract has no schema of avro for it on the writer's side" },
    ]);
  });

  it("finds a reader that would not start with its contract, and says why", async () => {
    const now = service(closed({ id: integer }));
    const contract = contractOf(now, { service: "orders" });
    const text = formatContract(contract).replace('"type": "integer"', '"type": "whole number"');
    const check = await checkContract({
      contract,
      pipeline: now,
      baselines: [{ name: "main", contract: parseContract(text, "orders.json") }],
      mode: "forward",
    });
    expect(check.findings[0]).toMatchObject({
      verdict: "incompatible",
      trial: {
        tried: 1,
        counterexample: {
          value: { id: 0 },
          stage: "start",
          reason: "configuration-invalid",
          text: expect.stringMatching(/^The reader does not start: /),
        },
      },
    });
  });

  it("knows that single-object encoding needs the writer's schema", async () => {
    const record = (...names: string[]) => ({
      type: "record",
      name: "R",
      fields: names.map((name) => ({ name, type: "int", default: 0 })),
    });
    const chain = (definition: unknown) =>
      createPipeline({
        serializer: avro(),
        messageTypes: [defineMessage("a", { version: 1, schemas: { 1: { avro: definition } } })],
      });
    const [before, listed] = [
      chain(record("a")),
      chain({ schema: record("a", "b"), writerSchemas: [record("a")] }),
    ];
    expect((await compare(before, chain(record("a", "b")))).verdicts).toMatchObject({
      "backward 1 avro": "incompatible",
    });
    expect((await compare(before, listed)).verdicts).toMatchObject({
      "backward 1 avro": "compatible",
      "forward 1 avro": "incompatible",
    });
  });
});

/** Version 1 has an amount as a text, version 2 in cents. */
const versions = (upcast: (body: never) => unknown, downcast?: (body: never) => unknown) =>
  service(undefined, {
    version: 2,
    schemas: {
      1: { json: closed({ total: { type: "string", pattern: "^\\d{1,9}$" } }) },
      2: { json: closed({ cents: { type: "integer", minimum: 0, maximum: 1e9 } }) },
    },
    upcasters: { 1: upcast },
    ...(downcast === undefined ? {} : { downcasters: { 2: downcast } }),
  });
const right = ({ total }: { total: string }) => ({ cents: Number(total) });

describe("converters are tried:", () => {
  const cases: readonly [string, Pipeline, string][] = [
    ["an upcaster that is right", versions(right), "compatible"],
    [
      "an upcaster that throws",
      versions(() => {
        throw new Error("no");
      }),
      "incompatible",
    ],
    ["an upcaster that leaves a field out", versions(() => ({})), "incompatible"],
    [
      "an upcaster that returns another type",
      versions(({ total }: { total: string }) => ({ cents: total })),
      "incompatible",
    ],
    ["an upcaster that returns nothing", versions(() => undefined), "incompatible"],
    [
      "an upcaster that fails for some values",
      versions(({ total }: { total: string }) => ({ cents: total.length > 3 ? undefined : 1 })),
      "incompatible",
    ],
  ];
  it.each(cases)("%s", async (_, pipeline, verdict) => {
    const { check } = await compare(pipeline, pipeline);
    expect(
      check.findings.find(({ direction, version }) => direction === "within" && version === 1),
    ).toMatchObject({ verdict });
  });

  const planned = { alsoWrites: { "order-placed": [{ version: 1, serializer: "json" }] } };
  it.each([
    [
      "a downcaster that is right",
      ({ cents }: { cents: number }) => ({ total: String(cents % 1e9) }),
      "compatible",
    ],
    ["a downcaster that leaves a field out", () => ({}), "incompatible"],
    [
      "a downcaster that throws",
      () => {
        throw new Error("no");
      },
      "incompatible",
    ],
  ])("%s", async (_, downcast, verdict) => {
    const pipeline = versions(right, downcast as never);
    const check = await checkContract({
      contract: contractOf(pipeline, { service: "orders", ...planned }),
      pipeline,
    });
    expect(check.findings.find(({ version }) => version === 1)).toMatchObject({ verdict });
  });

  it("a missing downcaster to a version that is said to be written", async () => {
    const pipeline = versions(right);
    const check = await checkContract({
      contract: contractOf(pipeline, { service: "orders", ...planned }),
      pipeline,
    });
    expect(check.verdict).not.toBe("compatible");
  });
});

describe("options of a chain", () => {
  const pipeline = service(closed({ id: integer }));
  const withChain = async (before: object, now: object) => {
    const check = await checkContract({
      contract: contractOf(pipeline, { service: "orders", chain: now }),
      pipeline,
      baselines: [{ name: "main", contract: contractOf(pipeline, { service: "orders", chain: before }) }],
    });
    return Object.fromEntries(check.findings.map(({ direction, verdict }) => [direction, verdict]));
  };
  it.each<[string, object, object, object]>([
    [
      "encryption that readers lack",
      {},
      { encryption: {} },
      { forward: "incompatible", backward: "incompatible" },
    ],
    [
      "compression that readers ignore",
      { contentEncoding: "ignore" },
      { compression: { coding: "gzip" } },
      { forward: "incompatible" },
    ],
    [
      "claim checks that readers lack",
      {},
      { claimCheck: {} },
      { forward: "incompatible", backward: "compatible" },
    ],
    ["a lower limit", {}, { maxDepth: 8 }, { forward: "compatible", backward: "not-decided" }],
    ["nothing", {}, {}, { forward: "compatible", backward: "compatible" }],
  ])("are compared: %s", async (_, before, now, expected) => {
    expect(await withChain(before, now)).toMatchObject(expected);
  });

  it.each([
    ["bigints written as texts", { writeBigInts: "string" }, {}],
    ["bigints that the reader refuses", { writeBigInts: "number" }, { readUnsafeIntegers: "refuse" }],
    ["bigints that the reader reads as texts", { writeBigInts: "number" }, { readUnsafeIntegers: "string" }],
  ] as const)("are tried with values: %s", async (_, before, now) => {
    const chain = (options: object) =>
      createPipeline({
        serializer: json(options),
        messageTypes: [
          defineMessage("a", { version: 1, schemas: { 1: jsonSchema(closed({ id: integer })) } }),
        ],
      });
    const { verdicts } = await compare(chain(before), chain(now));
    expect(verdicts["backward 1 json"]).toBe("incompatible");
  });
});

it("bigints that the writer refuses need no reader that takes them", async () => {
  const chain = (options: object) =>
    createPipeline({
      serializer: json(options),
      messageTypes: [defineMessage("a", { version: 1, schemas: { 1: { json: closed({ id: integer }) } } })],
    });
  const { check } = await compare(chain({}), chain({ readUnsafeIntegers: "refuse" }));
  const texts = check.findings.flatMap(({ obstacles }) => obstacles.map(({ text }) => text));
  expect(texts.filter((each) => each.includes("bigints"))).toEqual([]);
});

describe("a finding", () => {
  const broken = () =>
    compare(service(closed({ id: integer })), service(closed({ id: integer, customer: text })), {
      mode: "backward",
    });

  it("says in words what fails, and what to do", async () => {
    const { check } = await broken();
    expect(describeFinding(check.findings[0]!)).toEqual({
      title: 'orders, as it is now, does not read "order-placed" version 1 in json as orders (main) wrote it',
      evidence: [
        "by the schemas: customer: the reader requires it, and the writer may leave it out",
        'by values: {"id":0} is written, and fails at the stage validate (schema-violation)',
        expect.stringContaining("schema"),
      ],
      advice: expect.stringContaining("new version with an upcaster"),
    });
  });

  it("is an annotation of a workflow, and a result of SARIF", async () => {
    const { check } = await broken();
    expect(toGitHubAnnotations(check, "orders.json")).toMatch(
      /^::error file=orders\.json,title=orders%2C as it is now.*::by the schemas: [^\n]*%0A[^\n]*\n$/,
    );
    expect(toSarif(check, "orders.json").runs[0]?.results).toMatchObject([
      {
        ruleId: "backward",
        level: "error",
        locations: [{ physicalLocation: { artifactLocation: { uri: "orders.json" } } }],
      },
    ]);
  });

  it("keeps its message as a golden one, which fails until the chain reads it", async () => {
    const directory = await mkdtemp(join(tmpdir(), "waybill-contract-"));
    try {
      const { check } = await broken();
      const now = service(closed({ id: integer, customer: text }));
      const finding = check.findings[0]!;
      expect(await goldenCounterexample({ ...finding, trial: { tried: 1 } }, now)).toBeUndefined();
      await writeGoldenMessages(directory, [(await goldenCounterexample(finding, now))!]);
      expect((await checkGoldenMessages({ pipeline: now, directory })).failures).toHaveLength(1);
      const mended = service(closed({ id: integer, customer: text }, ["id"]));
      expect((await checkGoldenMessages({ pipeline: mended, directory })).failures).toEqual([]);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
