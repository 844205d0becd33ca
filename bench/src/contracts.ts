import { createFileRegistry, fromJson } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { createPipeline, defineMessage, type MessageType, type Pipeline } from "@waybill/core";
import { checkContract, contractOf } from "@waybill/migration/contract";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { protobuf } from "@waybill/serializer-protobuf";

// The time of `waybill contract check` for a large service: 200 message types with 5 versions each, a third of them each in JSON Schema, Avro and
// Protobuf, against the contract of the commit before, whose newest versions lack their last field.

const types = 200;
const versions = 5;

type Language = (type: number, version: number, fields: number) => unknown;

/** Fields of usual kinds: a third of them texts, the others numbers, flags, lists and objects. */
const jsonSchemaOf: Language = (_, version, fields) => {
  const kinds = [
    { type: "string", maxLength: 200 },
    { type: "integer", minimum: 0 },
    { enum: ["open", "paid", "sent"] },
    {
      type: "array",
      items: { type: "object", properties: { sku: { type: "string" }, count: { type: "integer" } } },
    },
    { type: "string", format: "date-time" },
    { type: "boolean" },
  ];
  const names = Array.from({ length: fields }, (_, index) => `field${index}`);
  return {
    $comment: `version ${version}`,
    type: "object",
    properties: Object.fromEntries(names.map((name, index) => [name, kinds[index % kinds.length]])),
    required: names.slice(0, 10),
    additionalProperties: false,
  };
};

const avroSchemaOf: Language = (type, version, fields) => {
  const kinds = (index: number) => [
    "string",
    "long",
    { type: "enum", name: `Status${index}`, symbols: ["OPEN", "PAID", "SENT"] },
    {
      type: "array",
      items: { type: "record", name: `Line${index}`, fields: [{ name: "sku", type: "string" }] },
    },
    "boolean",
    ["null", "double"],
  ];
  // Fields beyond those of the first version are optional.
  const typeOf = (index: number) => (index < 13 ? kinds(index)[index % 6] : ["null", "string"]);
  return {
    type: "record",
    name: `shop.Event${type}V${version}`,
    fields: Array.from({ length: fields }, (_, index) => ({
      name: `field${index}`,
      type: typeOf(index),
      ...(index < 13 ? {} : { default: null }),
    })),
  };
};

const protobufMessageOf: Language = (type, version, fields) => {
  const kinds = ["TYPE_STRING", "TYPE_INT64", "TYPE_BOOL", "TYPE_DOUBLE", "TYPE_BYTES", "TYPE_SINT32"];
  return {
    name: `Event${type}V${version}`,
    field: Array.from({ length: fields }, (_, index) => ({
      name: `field_${index}`,
      number: index + 1,
      label: index % 4 === 3 ? "LABEL_REPEATED" : "LABEL_OPTIONAL",
      type: kinds[index % kinds.length],
    })),
  };
};

/** Avro has a value for every field. */
function upcaster(type: number, version: number): (body: unknown) => unknown {
  if (type % 3 !== 1) return (body) => body;
  return (body) => ({ ...(body as object), [`field${12 + version}`]: null });
}

/** The service; `isBefore` leaves the last field of the newest versions out. */
function service(isBefore: boolean): Pipeline {
  const fieldsOf = (version: number) => 12 + version - (isBefore && version === versions ? 1 : 0);
  const messages: unknown[] = [];
  const messageTypes: MessageType[] = [];
  for (let type = 0; type < types; type++) {
    const all = Array.from({ length: versions }, (_, index) => index + 1);
    const schemas = all.map((version): readonly [number, object] => {
      const fields = fieldsOf(version);
      if (type % 3 === 0) return [version, { json: jsonSchemaOf(type, version, fields) }];
      if (type % 3 === 1) {
        const writerSchemas =
          version === versions && !isBefore ? [avroSchemaOf(type, version, fields - 1)] : [];
        return [version, { avro: { schema: avroSchemaOf(type, version, fields), writerSchemas } }];
      }
      messages.push(protobufMessageOf(type, version, fields));
      return [version, {}];
    });
    messageTypes.push(
      defineMessage(`event-${type}`, {
        version: versions,
        schemas: Object.fromEntries(schemas),
        upcasters: Object.fromEntries(all.slice(0, -1).map((version) => [version, upcaster(type, version)])),
      } as never),
    );
  }
  const file = { name: "shop.proto", package: "shop", syntax: "proto3", messageType: messages };
  const registry = createFileRegistry(fromJson(FileDescriptorSetSchema, { file: [file] } as never));
  return createPipeline({
    serializer: json(),
    additionalDeserializers: [
      avro(),
      protobuf({
        registry,
        typeOf: ({ messageType, messageVersion }) =>
          messageType === undefined
            ? undefined
            : `shop.Event${messageType.slice("event-".length)}V${messageVersion ?? versions}`,
      }),
    ],
    messageTypes,
  });
}

const now = service(false);
const baseline = contractOf(service(true), { service: "orders" });
const startedMs = performance.now();
const { verdict, findings } = await checkContract({
  contract: contractOf(now, { service: "orders" }),
  pipeline: now,
  baselines: [{ name: "before", contract: baseline }],
});
const seconds = (performance.now() - startedMs) / 1000;
const tried = findings.reduce((sum, { trial }) => sum + trial.tried, 0);
console.log(
  `${types} message types with ${versions} versions each, ${findings.length} pairs of version and format, ${tried} values written and read: ${verdict}, ` +
    `in ${seconds.toFixed(1)} s (at most 60 s), ${Math.round(process.resourceUsage().maxRSS / 1024)} MB at most`,
);
if (process.argv.includes("--findings"))
  for (const { messageType, version, serializer, direction, verdict, obstacles, trial } of findings.slice(
    0,
    60,
  ))
    console.log(
      direction,
      messageType,
      version,
      serializer,
      verdict,
      obstacles[0]?.text,
      trial.counterexample?.text,
      trial.note,
    );
