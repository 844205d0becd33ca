import { createPipeline, defineMessage } from "@waybill/core";
import { checkContract, contractOf, registryContracts } from "@waybill/migration/contract";
import { apicurioRegistry, confluentSchemaRegistry } from "@waybill/schema-registry";
import { avro } from "@waybill/serializer-avro";
import { describe, expect, it } from "vitest";

const url = "https://registry.test";

/** Responses by path; other requests get a 404 of the registry. */
const answering = (answers: Readonly<Record<string, unknown>>) =>
  (async (input: string | URL | Request) => {
    const answer = answers[String(input).slice(url.length)];
    return answer === undefined
      ? Response.json({ error_code: 40401, status: 404 }, { status: 404 })
      : Response.json(answer);
  }) as typeof fetch;

const order = (...fields: readonly object[]) => ({
  type: "record",
  name: "Order",
  fields: [{ name: "id", type: "long" }, ...fields],
});
const first = order();
const second = order({ name: "note", type: "string", default: "" });
const registered = new Map([
  ["7", first],
  ["9", second],
]);

/** A service that reads every schema of the registry into this one. */
const service = (schema: object) =>
  createPipeline({
    serializer: avro({ framing: "raw", schemaById: (id) => registered.get(id) }),
    messageTypes: [
      defineMessage("order-placed", { version: 1, schemas: { 1: { avro: { schema, schemaId: "99" } } } }),
    ],
  });

async function verdicts(schema: object, source: Parameters<typeof registryContracts>[0]["source"]) {
  const pipeline = service(schema);
  const contract = contractOf(pipeline, { service: "orders" });
  const baselines = await registryContracts({
    contract,
    source,
    subjectOf: (messageType) => `${messageType}-value`,
  });
  const { findings } = await checkContract({ contract, pipeline, baselines, mode: "backward" });
  return findings
    .filter(({ direction }) => direction === "backward")
    .map(({ baseline, verdict }) => [baseline, verdict]);
}

const versions = "/subjects/order-placed-value/versions";
const confluent = confluentSchemaRegistry({
  url,
  fetch: answering({
    [versions]: [1, 2],
    [`${versions}/1`]: { id: 7, version: 1, schema: JSON.stringify(first) },
    [`${versions}/2`]: { id: 9, version: 2, schema: JSON.stringify(second) },
  }),
});

const artifact = "/apis/registry/v3/groups/shop/artifacts/order-placed-value/versions";
const apicurio = apicurioRegistry({
  url,
  group: "shop",
  fetch: answering({
    [`${artifact}?orderby=globalId&order=asc&limit=500`]: {
      count: 2,
      versions: [
        { version: "1", artifactType: "AVRO", contentId: 7, globalId: 1 },
        { version: "2", artifactType: "AVRO", contentId: 9, globalId: 2 },
      ],
    },
    [`${artifact}/1/content`]: first,
    [`${artifact}/2/content`]: second,
  }),
});

describe.each([confluent, apicurio])("$name as a baseline", (source) => {
  const name = (version: number) => `${source.name}, order-placed-value version ${version}`;

  it("has every schema of a subject, the newest first", async () => {
    expect(await verdicts(second, source)).toEqual([
      [name(2), "compatible"],
      [name(1), "compatible"],
    ]);
  });

  it("shows which of them is no longer read", async () => {
    const required = order({ name: "note", type: "string" });
    expect(await verdicts(required, source)).toEqual([
      [name(2), "compatible"],
      [name(1), "incompatible"],
    ]);
  });

  it("has nothing for a subject that it does not know", async () => {
    const contract = contractOf(service(first), { service: "orders" });
    expect(await registryContracts({ contract, source })).toEqual([]);
  });
});
