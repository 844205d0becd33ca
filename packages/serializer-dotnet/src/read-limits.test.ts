import { createPipeline, type DeserializationOutcome } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { dotnetBinary } from "./dotnet-serializer.js";
import { defaultXmlns, end, leaf, start, xmlns } from "./records.test-support.js";

const serialization = "http://schemas.microsoft.com/2003/10/Serialization/";
const root = [...start("a"), ...defaultXmlns(serialization)];

async function read(body: readonly number[], contentType?: string, options = {}) {
  const pipeline = createPipeline({
    serializer: json(),
    additionalDeserializers: [dotnetBinary(options)],
    maxItems: 1_000,
  });
  return await pipeline.deserialize({ body: Uint8Array.from(body), contentType });
}

function dotnetAttempt({ report }: DeserializationOutcome) {
  return report.attempts.find(({ serializer }) => serializer === "dotnet-binary");
}

async function reasonOf(body: readonly number[], contentType = "application/msbin1") {
  const outcome = await read(body, contentType);
  return outcome.status === "decoded" ? "decoded" : dotnetAttempt(outcome)?.reason;
}

const many = (record: readonly number[], count = 20_000) =>
  Array.from({ length: count }, () => record).flat();

describe("the limit on items", () => {
  it.each([
    ["texts of one element", [...root, ...many([0x98, 0x01, 0x20]), ...end]],
    ["byte strings of one element", [...root, ...many([0x9e, 0x00], 2_000), ...end]],
    ["a list", [...root, 0xa4, ...many([0xa8]), 0xa6, ...end]],
    ["a list in an attribute", [...start("a"), 0x04, 0x01, 0x62, 0xa4, ...many([0xa8]), 0xa6, ...end]],
    [
      "declarations",
      [
        ...start("a"),
        ...many(xmlns("b", "c"), 1),
        ...Array.from({ length: 6_000 }, (_, index) => xmlns(`p${index}`, "u")).flat(),
        ...end,
      ],
    ],
  ])("counts %s", async (_, body) => {
    expect(await reasonOf(body)).toBe("items-exceeded");
  });
});

describe("prefixes", () => {
  it("mean what the nearest declaration says", async () => {
    const instance = "http://www.w3.org/2001/XMLSchema-instance";
    // <a><b xmlns:i="…instance"><i:c/></b><b xmlns:i="other" i:nil=""/></a>, then a prefix that is declared no longer.
    const inner = [
      ...start("b"),
      ...xmlns("i", instance),
      0x05,
      0x01,
      0x69,
      0x03,
      0x6e,
      0x69,
      0x6c,
      0x86,
      ...end,
    ];
    const rebound = [
      ...start("b"),
      ...xmlns("i", instance),
      ...start("c"),
      ...xmlns("i", "urn:other"),
      0x01,
      ...leaf("d", "x", "i"),
      ...end,
    ];
    expect(await read([...root, ...inner, ...rebound, ...leaf("e", "y"), ...end])).toMatchObject({
      status: "decoded",
      body: { b: [null, { c: [], d: "x" }], e: "y" },
    });
    expect(await reasonOf([...root, ...inner, ...leaf("d", "x", "i"), ...end])).toBe("malformed");
    expect(
      await reasonOf([...root, ...start("b"), ...xmlns("i", "u"), ...xmlns("i", "v"), ...end, ...end]),
    ).toBe("malformed");
  });
});

describe("keys that could reach a prototype", () => {
  const entry = (key: string, value: readonly number[]) => [
    ...start("KeyValueOfstringanyType"),
    ...leaf("Key", key),
    ...value,
    ...end,
  ];
  const dictionary = (...entries: readonly number[][]) => [
    ...start("ArrayOfKeyValueOfstringanyType"),
    ...defaultXmlns(`${serialization}Arrays`),
    ...entries.flat(),
    ...end,
  ];

  it("are refused in dictionaries and members", async () => {
    expect(await reasonOf(dictionary(entry("__proto__", leaf("Value", "x"))))).toBe("key-forbidden");
    expect(await reasonOf([...root, ...leaf("__proto__", "x"), ...end])).toBe("key-forbidden");
    const nested = [...start("constructor"), ...leaf("prototype", "x"), ...leaf("b", "x"), ...end];
    expect(await reasonOf([...root, ...nested, ...end])).toBe("key-forbidden");
    expect(await reasonOf(dictionary(entry("constructor", leaf("Value", "x"))))).toBe("decoded");
  });
});

describe("a DataSet", () => {
  // As DataSet.WriteXml writes it: the root has no namespace, its schema and rows have.
  const schema = [
    ...start("schema", "xs"),
    ...xmlns("xs", "http://www.w3.org/2001/XMLSchema"),
    0x04,
    ...[0x02, 0x69, 0x64],
    0x98,
    ...[0x0a, ...new TextEncoder().encode("NewDataSet")],
    ...end,
  ];
  const rows = [
    ...start("diffgram", "diffgr"),
    ...xmlns("msdata", "urn:schemas-microsoft-com:xml-msdata"),
    ...xmlns("diffgr", "urn:schemas-microsoft-com:xml-diffgram-v1"),
    ...start("NewDataSet"),
    ...start("Order"),
    ...leaf("Id", "A-1042"),
    ...end,
    ...end,
    ...end,
  ];

  it("is recognised without a content type", async () => {
    expect(await read([...start("DataSet"), ...schema, ...rows, ...end])).toMatchObject({
      status: "decoded",
      body: { schema: { "@id": "NewDataSet" }, diffgram: { NewDataSet: { Order: { Id: "A-1042" } } } },
    });
    const other = await read([...start("DataSet"), ...schema, ...rows, ...leaf("Id", "1"), ...end]);
    expect(other).toMatchObject({ status: "undeserializable" });
  });
});

describe("text", () => {
  it.each(["hello world", "A line\nand another", "pré-commande", "@order"])(
    "is not reported as truncated .NET XML: %j",
    async (text) => {
      const body = [...new TextEncoder().encode(text)];
      expect(await reasonOf(body)).toBe("malformed");
      const outcome = await read(body);
      expect(dotnetAttempt(outcome)).toMatchObject({ reason: "not-recognized" });
    },
  );

  it("that is not JSON is a string with json: true", async () => {
    const pipeline = createPipeline({ serializer: dotnetBinary() });
    const wrapped = async (text: string) => [
      ...((await pipeline.serialize({ body: text })).body as Uint8Array),
    ];
    for (const text of ["[INFO] started", "{0} items", "[1] [2]"])
      expect(await read(await wrapped(text), undefined, { json: true })).toMatchObject({ body: text });
    const cut = await read(await wrapped('{"id":'), undefined, { json: true });
    expect(dotnetAttempt(cut)).toMatchObject({ reason: "truncated" });
  });
});
