import { createPipeline } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import type { ContractSchema, ContractVersion } from "../model/contract.js";
import { contractSchemaOf } from "../model/contract-of.js";
import { type CandidateSource, Candidates } from "./candidates.js";

const workshop = createPipeline({ serializer: json(), additionalDeserializers: [avro()] });
const jsonOf = (schema: unknown) => contractSchemaOf({ language: "json-schema", schema } as never);
const avroOf = (schema: unknown) => contractSchemaOf({ language: "avro", schema: { schema } } as never);
const version = (schemas: Record<string, ContractSchema>, body?: ContractSchema): ContractVersion => {
  return { version: 1, upcasts: [], isWritable: true, schemas, body };
};
const valuesOf = (of: ContractVersion, serializer: string, more: Partial<CandidateSource> = {}) =>
  new Candidates().of({
    ...{ workshop, version: of, serializer, reader: undefined, writesOnlyDeclared: true },
    ...more,
  });

describe("the values that are tried", () => {
  const record = avroOf({ type: "record", name: "R", fields: [{ name: "n", type: "int" }] });

  it("are made from the schema of the format, else from that of the body or of another format", async () => {
    const text = jsonOf({ type: "string" });
    const whole = jsonOf({ type: "integer" });
    const typesOf = async (of: ContractVersion) => [
      ...new Set((await valuesOf(of, "json")).map((value) => typeof value)),
    ];
    expect(await typesOf(version({ json: text }, whole))).toEqual([]);
    expect(await typesOf(version({ json: text }))).toEqual(["string"]);
    expect(await typesOf(version({}, whole))).toContain("number");
    expect(await typesOf(version({ msgpack: whole }))).toContain("number");
    expect(await typesOf(version({ avro: record }))).toEqual(["object"]);
  });

  it("satisfy the schema of the body as well", async () => {
    const positive = jsonOf({ type: "object", properties: { n: { exclusiveMinimum: 0 } } });
    const all = await valuesOf(version({ avro: record }), "avro");
    const some = await valuesOf(version({ avro: record }, positive), "avro");
    const numbers = (values: readonly unknown[]) => values.map((value) => (value as { n: number }).n);
    expect(numbers(all).some((n) => n < 0)).toBe(true);
    expect(numbers(some)).toEqual(numbers(all).filter((n) => n > 0));
    expect(some).not.toEqual([]);
  });

  it("are none without a schema that says anything", async () => {
    expect(await valuesOf(version({}), "json")).toEqual([]);
    expect(await valuesOf(version({ json: { language: "code" } }), "json")).toEqual([]);
    expect(await valuesOf(version({ json: { language: "another" } }), "json")).toEqual([]);
  });

  it("are none of Avro for a chain without it, and for a format with a schema of another language", async () => {
    const without = createPipeline({ serializer: json() });
    expect(await valuesOf(version({ avro: record }), "avro", { workshop: without })).toEqual([]);
    expect(await valuesOf(version({ json: { language: "code" }, avro: record }), "json")).toEqual([]);
    expect(await valuesOf(version({ avro: record }), "json")).not.toEqual([]);
  });

  it("match a pattern: the shortest and the longest texts, but none for one that cannot be generated", async () => {
    const texts = await valuesOf(version({ json: jsonOf({ type: "string", pattern: "^a{2,9}$" }) }), "json");
    expect(texts).toContain("aa");
    expect(texts).toContain("aaaaaaaaa");
    expect(texts.every((text) => /^a{2,9}$/.test(text as string))).toBe(true);
    const impossible = jsonOf({ type: "string", pattern: "^(?<=b)a$" });
    expect(await valuesOf(version({ json: impossible }), "json")).toEqual([]);
  });

  it("are a hundred at most, and include those that the reader would treat differently", async () => {
    const names = Array.from({ length: 80 }, (_, at) => [
      `field${at}`,
      { type: ["string", "null", "integer"] },
    ]);
    const large = jsonOf({ type: "object", properties: Object.fromEntries(names) });
    expect(await valuesOf(version({ json: large }), "json")).toHaveLength(100);
    const reader = version({ json: jsonOf({ type: "integer", maximum: 77 }) });
    const whole = version({ json: jsonOf({ type: "integer" }) });
    expect(await valuesOf(whole, "json", { reader })).toContain(78);
    expect(await valuesOf(whole, "json")).not.toContain(78);
  });

  it("are made once for versions with the same schemas", async () => {
    const candidates = new Candidates();
    const of = (serializer: string, writesOnlyDeclared: boolean) =>
      candidates.of({
        ...{ workshop, version: version({ json: jsonOf({ type: "string" }) }), serializer },
        ...{ reader: undefined, writesOnlyDeclared },
      });
    expect(of("json", true)).toBe(of("json", true));
    expect(of("json", true)).not.toBe(of("json", false));
  });
});
