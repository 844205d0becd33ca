import { createPipeline, type DeserializationOutcome } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { bytes, memorySource, order, orderSchema } from "../order.test-support.js";
import { type RegistryAvroOptions, registryAvro } from "../serializers/registry-avro.js";
import type { SchemaSource } from "./schema-source.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const schema = { definition: JSON.stringify(orderSchema), format: "avro" } as const;
const body = bytes("00 00000007");

/** A registry with a list of responses; the last one is repeated. */
function scripted(...answers: readonly (() => unknown)[]): SchemaSource & { calls: number } {
  const source = {
    name: "the test registry",
    framings: ["confluent"] as const,
    calls: 0,
    schemaById: async () => (answers[source.calls++] ?? answers.at(-1))?.() as never,
  };
  return source;
}

function pipelineOf(source: SchemaSource, more: Partial<RegistryAvroOptions> = {}) {
  const pipeline = createPipeline({ serializer: registryAvro(avro, { source, ...more }) });
  return async (each = body): Promise<DeserializationOutcome> => await pipeline.deserialize({ body: each });
}

const down = () => {
  throw new Error("ECONNREFUSED");
};

describe("a registry that fails", () => {
  it.each([
    ["is down", down],
    ["never responds", () => new Promise(() => {})],
    ["responds with a web page", () => ({ definition: "<html>502 Bad Gateway</html>" })],
    [
      "responds with JSON that is not a schema",
      () => ({ definition: '{"message":"try later"}', format: "avro" }),
    ],
    ["responds with an empty object", () => ({})],
    [
      "responds with a truncated schema",
      () => ({ definition: schema.definition.slice(0, 40), format: "avro" }),
    ],
  ])("and %s makes a body unavailable, and is called again", async (_, answer) => {
    const source = scripted(answer, () => schema);
    const read = pipelineOf(source, { timeoutInMs: 5_000, failureTtlInMs: 1_000 });
    const first = read();
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await first).status).toBe("unavailable");
    vi.advanceTimersByTime(1_000);
    expect((await read()).status).toBe("decoded");
    expect(source.calls).toBe(2);
  });

  it("is not called for a while", async () => {
    const source = scripted(down);
    const read = pipelineOf(source, { failureTtlInMs: 60_000 });
    for (let count = 0; count < 10; count++) expect((await read()).status).toBe("unavailable");
    expect(source.calls).toBe(1);
  });

  it("intermittently does not lose cached schemas", async () => {
    const read = pipelineOf(scripted(() => schema, down));
    for (let count = 0; count < 10; count++) expect(await read()).toMatchObject({ body: order });
  });
});

describe("a registry that responds", () => {
  it("is called once for many concurrent reads", async () => {
    const source = memorySource({ 7: schema }, ["confluent"]);
    const read = pipelineOf(source);
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => read()));
    expect(outcomes.every(({ status }) => status === "decoded")).toBe(true);
    expect(source.asked).toEqual(["7"]);
  });

  it("is called once for an unknown id, and the body is undeserializable", async () => {
    const source = memorySource({}, ["confluent"]);
    const read = pipelineOf(source);
    for (let count = 0; count < 10; count++) expect((await read()).status).toBe("undeserializable");
    expect(source.asked).toEqual(["7"]);
  });

  it("is read synchronously from then on", async () => {
    const serializer = registryAvro(avro, { source: memorySource({ 7: schema }, ["confluent"]) });
    const pipeline = createPipeline({ serializer });
    await pipeline.deserialize({ body });
    expect(pipeline.deserialize({ body })).toMatchObject({ status: "decoded", body: order });
  });
});
