import { inspect } from "node:util";
import type { JsonSchema } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { typeDeclarations } from "../contract.js";
import { toPortableValue } from "../golden/portable-value.js";
import { avroSchemas, jsonSchemaPairs, protobufTypes, someOf } from "./generated-schemas.test-support.js";
import { avroObstacles } from "./structure/avro-resolution.js";
import { avroTypeOf, parsingForm } from "./structure/avro-type.js";
import { jsonSchemaObstacles } from "./structure/json-schema-inclusion.js";
import type { Obstacle } from "./structure/obstacle.js";
import { protobufObstacles } from "./structure/protobuf-fields.js";
import { protobufTypeOf } from "./structure/protobuf-type.js";
import { avroValues } from "./values/avro-values.js";
import { jsonValues } from "./values/json-values.js";
import { protobufValues } from "./values/protobuf-values.js";

// What is proved of schemas, made of them and written for them, word for word. That proofs hold is shown by json-schema-inclusion.test.ts and by
// corpus.test.ts: here every change of a text, of an order or of a value is seen.

const shown = (value: unknown) => JSON.stringify(toPortableValue(value));
const obstacleLines = (obstacles: readonly Obstacle[]) =>
  obstacles.map(({ kind, path, text }) => `  ${kind} at ${path === "" ? "the root" : path}: ${text}`);
const valueLines = (values: readonly unknown[]) => [
  `  ${values.length} values: ${shown(values.slice(0, 8))}`,
];

/** The types of a schema, as those of a message type. */
const typesOf = (language: string, schema: unknown, options: object = {}) => {
  const versions = [
    { version: 1, upcasts: [], isWritable: true, schemas: { main: { language, schema } } },
  ] as const;
  const type = { name: "m", aliases: [], version: 1, removed: [], writes: [], versions };
  const serializers = [{ name: "main", mediaTypes: [], options: options as Record<string, unknown> }];
  const entities = { sends: [], receives: [] };
  const text = typeDeclarations({
    waybillContract: 1,
    service: "s",
    entities,
    serializers,
    messageTypes: [type],
  });
  return text
    .split("\n")
    .slice(3, -1)
    .map((line) => `  ${line}`);
};

async function expectLines(name: string, blocks: readonly (readonly string[])[]): Promise<void> {
  const file = new URL(`../../test/contract-corpus/generated-${name}.txt`, import.meta.url).pathname;
  await expect(`${blocks.flat().join("\n")}\n`).toMatchFileSnapshot(file);
}

/** Neighbours are compared with each other. */
function neighbours<Value>(values: readonly Value[]): readonly (readonly [Value, Value])[] {
  return values.slice(1).map((value, index) => [values[index] as Value, value] as const);
}

describe("generated schemas give what is recorded:", () => {
  it("JSON Schema", async () => {
    const blocks = someOf(jsonSchemaPairs, 70).map(([writer, reader], index) => {
      const writesOnlyDeclared = index % 2 === 1;
      const matching = (pattern: string) => [`${pattern.replaceAll(/\W/g, "")}1`, "ab"];
      return [
        `${JSON.stringify(writer)} read as ${JSON.stringify(reader)}${writesOnlyDeclared ? ", only declared" : ""}`,
        ...obstacleLines(jsonSchemaObstacles(writer, reader, { writesOnlyDeclared })),
        ...valueLines(jsonValues(writer, { reader, writesOnlyDeclared, matching })),
        ...typesOf("json-schema", writer as JsonSchema, {
          readUnsafeIntegers: index % 3 === 0 ? "bigint" : "string",
        }),
      ];
    });
    await expectLines("json-schemas", blocks);
  });

  it("Avro", async () => {
    const forms = [
      {},
      { longs: "bigint", unions: "always" },
      { unions: "never", rawLogicalTypes: "all" },
      { rawLogicalTypes: ["date"] },
    ];
    const blocks = neighbours(someOf(avroSchemas, 140)).map(([writer, reader], index) => {
      const [from, to] = [avroTypeOf(writer), avroTypeOf(reader)];
      return [
        `${JSON.stringify(writer)}, read as the next one`,
        `  ${parsingForm(from)}`,
        ...obstacleLines(avroObstacles(from, to, { knowsLogicalTypes: index % 2 === 0 })),
        ...valueLines(avroValues(from)),
        ...typesOf("avro", { schema: writer }, forms[index % forms.length]),
      ];
    });
    await expectLines("avro-schemas", blocks);
  });

  it("Protobuf", async () => {
    const blocks = neighbours(someOf(protobufTypes, 100)).map(([writer, reader], index) => {
      const [from, to] = [protobufTypeOf(writer), protobufTypeOf(reader)];
      const reading = {
        unknownFields: index % 2 === 0 ? "keep" : "refuse",
        typeOf: index % 3 === 0,
      } as const;
      return [
        `${inspect(from, { depth: 3, breakLength: Number.POSITIVE_INFINITY, compact: true })}, read as the next one by ${JSON.stringify(reading)}`,
        ...obstacleLines(protobufObstacles(from, to, reading)),
        ...valueLines(protobufValues(from)),
        ...typesOf("protobuf", writer),
      ];
    });
    await expectLines("protobuf-types", blocks);
  });
});
