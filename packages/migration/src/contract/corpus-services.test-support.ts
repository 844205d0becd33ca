import {
  createPipeline,
  defineMessage,
  type MessageType,
  type Pipeline,
  type Serializer,
} from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { cbor } from "@waybill/serializer-cbor";
import { json } from "@waybill/serializer-json";
import { jsonSchema } from "@waybill/serializer-json/json-schema";
import { msgpack } from "@waybill/serializer-msgpack";
import { protobuf } from "@waybill/serializer-protobuf";
import { xml } from "@waybill/serializer-xml";
import { z } from "zod";
import type { WrittenForm } from "../contract.js";
import { corpus, protobufOf, type Verdict } from "./corpus.test-support.js";

/** A change of a service that is more than one of a schema: its options, formats, versions or converters. */
export interface ServiceRow {
  readonly change: string;
  readonly old: Pipeline;
  readonly new: Pipeline;
  /** What the new one writes besides its current version, by a write plan. */
  readonly alsoWrites?: readonly WrittenForm[];
  /** Whether the new service reads all old messages, and the old one what the new one writes. */
  readonly backward: Verdict;
  readonly forward: Verdict;
  readonly source: string;
}

const closed = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const integer = { type: "integer" };
const text = { type: "string" };
const id = closed({ id: integer });

const service = (
  serializers: Serializer | readonly [Serializer, ...Serializer[]],
  type: MessageType,
): Pipeline => {
  const [serializer, ...additionalDeserializers] = [serializers].flat() as [Serializer, ...Serializer[]];
  return createPipeline({ serializer, additionalDeserializers, messageTypes: [type] });
};

const typed = (schema: object) =>
  defineMessage("m", { version: 1, schemas: { 1: jsonSchema(schema as never) } });

/** The changes of JSON Schemas whose meaning is the same in every format that has no schema language of its own. */
const ofValues = [
  "an optional property is added to a closed object",
  "a required property is added to a closed object",
  "a required property with a default is added",
  "a property is removed from a closed object",
  "a property is renamed in a closed object",
  "a property is no longer required",
  "string becomes number",
  "integer becomes number",
  "an enum value is added",
  "a type becomes a choice of two",
  "a member of a oneOf is removed",
  "a nested property changes its type",
  "a property of a recursive object becomes wider",
  "the values of a map change their type",
  "a format is added",
  "minimum is raised",
];

/** The rows of the JSON Schema corpus in other formats. XML has texts only, so that its rows are its own. */
export const formatRows: Readonly<Record<string, readonly ServiceRow[]>> = {
  msgpack: rowsIn(msgpack),
  cbor: rowsIn(cbor),
  xml: xmlRows(),
};

function rowsIn(format: () => Serializer): readonly ServiceRow[] {
  const rows = corpus("json-schema").filter(({ change }) => ofValues.includes(change));
  if (rows.length < ofValues.length) throw new Error("A change is not in the corpus of JSON Schema.");
  return rows.map((row) => ({
    ...row,
    old: service(format(), typed(row.old as object)),
    new: service(format(), typed(row.new as object)),
  }));
}

function xmlRows(): readonly ServiceRow[] {
  const order = (properties: object, required?: readonly string[]) =>
    service(xml({ value: "parsed" }), typed(closed({ order: closed(properties, required) })));
  const source = "json-schema.org, of XML's texts";
  const rows: readonly [string, Pipeline, Pipeline, Verdict, Verdict][] = [
    [
      "an optional element is added",
      order({ id: text }),
      order({ id: text, note: text }, ["id"]),
      "compatible",
      "incompatible",
    ],
    [
      "a required element is added",
      order({ id: text }),
      order({ id: text, note: text }),
      "incompatible",
      "incompatible",
    ],
    [
      "an element is removed",
      order({ id: text, note: text }),
      order({ id: text }),
      "incompatible",
      "incompatible",
    ],
    ["an element is renamed", order({ id: text }), order({ no: text }), "incompatible", "incompatible"],
    [
      "an element becomes optional",
      order({ id: text, note: text }),
      order({ id: text, note: text }, ["id"]),
      "compatible",
      "incompatible",
    ],
    [
      "a text gets a pattern",
      order({ id: text }),
      order({ id: { ...text, pattern: "^a" } }),
      "incompatible",
      "compatible",
    ],
    [
      "a value is added to an enum",
      order({ id: { enum: ["a"] } }),
      order({ id: { enum: ["a", "b"] } }),
      "compatible",
      "incompatible",
    ],
    ["nothing changes", order({ id: text }), order({ id: text }), "compatible", "compatible"],
  ];
  return rows.map(([change, old, now, backward, forward]) => ({
    change,
    old,
    new: now,
    backward,
    forward,
    source,
  }));
}

/** Version 1 has an amount as a text, version 2 in cents. */
function versions(
  upcast: (body: { total: string }) => unknown,
  downcast?: (body: { cents: number }) => unknown,
) {
  return service(
    json(),
    defineMessage("m", {
      version: 2,
      schemas: {
        1: { json: closed({ total: { type: "string", pattern: "^\\d{1,9}$" } }) },
        2: { json: closed({ cents: { type: "integer", minimum: 0, maximum: 999_999_999 } }) },
      },
      upcasters: { 1: (body: unknown) => upcast(body as { total: string }) },
      ...(downcast === undefined
        ? {}
        : { downcasters: { 2: (body: unknown) => downcast(body as { cents: number }) } }),
    } as never),
  );
}

const versionOne = service(
  json(),
  defineMessage("m", {
    version: 1,
    schemas: { 1: { json: closed({ total: { type: "string", pattern: "^\\d{1,9}$" } }) } },
  }),
);
const right = ({ total }: { total: string }) => ({ cents: Number(total) });
const back = ({ cents }: { cents: number }) => ({ total: String(cents) });
const planned = [{ version: 1, serializer: "json" }];

/** Converters: the old service has version 1, and the new one version 2. */
export const converterRows: readonly ServiceRow[] = (
  [
    ["an upcaster converts every value", versions(right), "compatible"],
    [
      "an upcaster throws",
      versions(() => {
        throw new Error("no");
      }),
      "incompatible",
    ],
    ["an upcaster leaves a property out", versions(() => ({})), "incompatible"],
    ["an upcaster returns nothing", versions(() => undefined), "incompatible"],
    ["an upcaster keeps the old type", versions(({ total }) => ({ cents: total })), "incompatible"],
    [
      "an upcaster fails for long texts",
      versions(({ total }) => ({ cents: total.length > 3 ? Number.NaN : 1 })),
      "incompatible",
    ],
    [
      "an upcaster adds a property",
      versions(({ total }) => ({ cents: Number(total), total })),
      "incompatible",
    ],
    [
      "an upcaster exceeds the limits of its target",
      versions(({ total }) => ({ cents: Number(total) * 1000 })),
      "incompatible",
    ],
  ] as const
).map(([change, now, backward]) => ({
  change,
  old: versionOne,
  new: now,
  backward,
  forward: "incompatible",
  source: "docs/message-types.md",
}));

/** Downcasters, by which the new service still writes version 1; `forward` is of that version. */
export const downcasterRows: readonly ServiceRow[] = (
  [
    ["a downcaster converts every value", versions(right, back), "compatible"],
    ["a downcaster is missing", versions(right), "incompatible"],
    [
      "a downcaster throws",
      versions(right, () => {
        throw new Error("no");
      }),
      "incompatible",
    ],
    ["a downcaster leaves a property out", versions(right, () => ({})), "incompatible"],
    ["a downcaster keeps the new type", versions(right, ({ cents }) => ({ total: cents })), "incompatible"],
    [
      "a downcaster breaks the pattern",
      versions(right, ({ cents }) => ({ total: `${cents} cents` })),
      "incompatible",
    ],
  ] as const
).map(([change, now, forward]) => ({
  change,
  old: versionOne,
  new: now,
  alsoWrites: planned,
  backward: "compatible",
  forward,
  source: "docs/message-types.md",
}));

const jsonType = defineMessage("m", { version: 1, schemas: { 1: { json: id } } });
const anyType = defineMessage("m", { version: 1, schemas: { 1: jsonSchema(id) } });
const avroType = defineMessage("m", {
  version: 1,
  schemas: {
    1: {
      avro: {
        type: "record",
        name: "R",
        fields: [
          { name: "id", type: "long" },
          { name: "either", type: ["int", "string"] },
        ],
      },
    },
  },
});
const protobufService = (definition: string, unknownFields: "keep" | "refuse") => {
  const { registry, message } = protobufOf(definition);
  return service(
    protobuf({ registry, typeOf: () => message, unknownFields }),
    defineMessage("m", { version: 1 }),
  );
};
const zod = (schema: z.ZodType) =>
  service(json(), defineMessage("m", { version: 1, schemas: { 1: schema } }));

/** Options of serializers, formats and schemas that come and go. */
export const optionRows: readonly ServiceRow[] = (
  [
    [
      "json writes bigints as numbers",
      service(json(), jsonType),
      service(json({ writeBigInts: "number" }), jsonType),
      "compatible",
      "compatible",
    ],
    [
      "json reads large integers as texts",
      service(json({ writeBigInts: "number" }), jsonType),
      service(json({ readUnsafeIntegers: "string" }), jsonType),
      "incompatible",
      "compatible",
    ],
    [
      "json refuses large integers",
      service(json({ writeBigInts: "number" }), jsonType),
      service(json({ readUnsafeIntegers: "refuse" }), jsonType),
      "incompatible",
      "compatible",
    ],
    [
      "cbor describes itself",
      service(cbor(), anyType),
      service(cbor({ selfDescribed: true }), anyType),
      "compatible",
      "compatible",
    ],
    [
      "avro reads every long as a bigint",
      service(avro(), avroType),
      service(avro({ longs: "bigint" }), avroType),
      "compatible",
      "compatible",
    ],
    [
      "avro wraps every union",
      service(avro(), avroType),
      service(avro({ unions: "always" }), avroType),
      "compatible",
      "compatible",
    ],
    [
      "protobuf refuses unknown fields, and a field is removed",
      protobufService("message M { int32 a = 1; string b = 2; }", "keep"),
      protobufService("message M { int32 a = 1; }", "refuse"),
      "incompatible",
      "compatible",
    ],
    [
      "protobuf refuses unknown fields",
      protobufService("message M { int32 a = 1; }", "keep"),
      protobufService("message M { int32 a = 1; }", "refuse"),
      "compatible",
      "compatible",
    ],
    [
      "another format is written, and the old one read",
      service(json(), anyType),
      service([msgpack(), json()], anyType),
      "compatible",
      "incompatible",
    ],
    [
      "another format is written, and the old one forgotten",
      service(json(), anyType),
      service(msgpack(), anyType),
      "incompatible",
      "incompatible",
    ],
    [
      "another format is read first",
      service(json(), anyType),
      service([json(), msgpack()], anyType),
      "compatible",
      "compatible",
    ],
    [
      "another format is written that was read before",
      service([json(), cbor()], anyType),
      service([cbor(), json()], anyType),
      "compatible",
      "compatible",
    ],
    [
      "zod makes a property optional",
      zod(z.strictObject({ a: z.string(), b: z.string() })),
      zod(z.strictObject({ a: z.string(), b: z.string().optional() })),
      "compatible",
      "incompatible",
    ],
    [
      "zod gives an absent property a default",
      zod(z.strictObject({ a: z.string() })),
      zod(z.strictObject({ a: z.string(), b: z.string().default("") })),
      "compatible",
      "incompatible",
    ],
    [
      "zod narrows a number to integers",
      zod(z.strictObject({ a: z.number() })),
      zod(z.strictObject({ a: z.int() })),
      "incompatible",
      "compatible",
    ],
    [
      "zod adds a member to a discriminated union",
      zod(z.discriminatedUnion("kind", [z.strictObject({ kind: z.literal("a") })])),
      zod(
        z.discriminatedUnion("kind", [
          z.strictObject({ kind: z.literal("a") }),
          z.strictObject({ kind: z.literal("b") }),
        ]),
      ),
      "compatible",
      "incompatible",
    ],
  ] as const
).map(([change, old, now, backward, forward]) => ({
  change,
  old,
  new: now,
  backward,
  forward,
  source: "docs/contracts.md",
}));
