import { createPipeline, defineMessage } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { expect, it } from "vitest";
import { contractOf, registryContracts, type SchemaVersions } from "../../contract.js";

const pipeline = createPipeline({
  serializer: json(),
  messageTypes: [
    defineMessage("order-placed", { version: 2, upcasters: { 1: (body) => body }, aliases: ["placed"] }),
    defineMessage("ping", { version: 1 }),
  ],
});
const contract = contractOf(pipeline, { service: "orders", sends: ["orders"] });

/** A registry with the schemas of its subjects. */
const registry = (subjects: Readonly<Record<string, Awaited<ReturnType<SchemaVersions["versionsOf"]>>>>) => ({
  name: "registry",
  async versionsOf(subject: string) {
    expect(subject).toBeTypeOf("string");
    return subjects[subject] ?? [];
  },
});

it("schemas of a registry are contracts in which nothing else is different, the newest first", async () => {
  const source = registry({
    "order-placed": [
      { id: "7", definition: '"string"' },
      { id: "8", definition: '{"type":"object"}', format: "json" },
      { id: "9", definition: "message M {}", format: "protobuf" },
    ],
  });
  const found = await registryContracts({ contract, source });
  const { messageTypes, ...others } = contract;
  const typeWith = (serializer: string, schema: object) => [
    {
      ...messageTypes[0],
      writes: [{ version: 2, serializer }],
      versions: [{ version: 2, upcasts: [], isWritable: true, schemas: { [serializer]: schema } }],
    },
  ];
  expect(found).toEqual([
    {
      name: "registry, order-placed version 3",
      contract: { ...others, messageTypes: typeWith("protobuf", { language: "code" }) },
    },
    {
      name: "registry, order-placed version 2",
      contract: {
        ...others,
        messageTypes: typeWith("json", {
          language: "json-schema",
          fingerprint: expect.any(String),
          schema: { type: "object" },
        }),
      },
    },
    {
      name: "registry, order-placed version 1",
      contract: {
        ...others,
        messageTypes: typeWith("avro", {
          language: "avro",
          fingerprint: expect.any(String),
          schema: { schema: "string", schemaId: "7" },
        }),
      },
    },
  ]);
});

it("schemas of a registry may be those of other subjects and versions", async () => {
  const source = registry({ "order-placed-1": [{ id: "7", definition: '"int"' }] });
  const subjectOf = (messageType: string, version: number) =>
    messageType === "ping" ? undefined : `${messageType}-${version}`;
  const found = await registryContracts({ contract, source, subjectOf });
  expect(found.map(({ name, contract }) => [name, contract.messageTypes[0]?.versions[0]?.version])).toEqual([
    ["registry, order-placed-1 version 1", 1],
  ]);
});
