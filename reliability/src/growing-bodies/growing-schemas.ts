import { type AvroSchema, avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { label } from "./growing-body.js";

/** A schema that grows in one dimension, compiled anew each time, such as one from a registry. */
export interface GrowingSchema {
  /** A schema whose text has about as many bytes. */
  readonly make: (bytes: number) => unknown;
  readonly compile: (schema: never) => unknown;
}

const names = (bytes: number, each: number) =>
  Array.from({ length: Math.max(1, bytes / each) }, (_, index) => `N${label(index)}`);
const field = (name: string, type: AvroSchema = "int") => ({ name, type });
const recordOf = (fields: readonly object[], name = "R"): AvroSchema => ({ type: "record", name, fields });

const avroSchemas: Readonly<Record<string, GrowingSchema>> = {
  fields: { make: (bytes) => recordOf(names(bytes, 30).map((name) => field(name))), compile },
  "fields with a default": {
    make: (bytes) => recordOf(names(bytes, 42).map((name) => ({ ...field(name), default: 1 }))),
    compile,
  },
  "symbols of an enum": {
    make: (bytes) => ({ type: "enum", name: "E", symbols: names(bytes, 10) }),
    compile,
  },
  "branches of a union": {
    make: (bytes) => names(bytes, 40).map((name) => ({ type: "fixed", name, size: 1 })),
    compile,
  },
  "named types": {
    make: (bytes) =>
      recordOf(names(bytes, 70).map((name) => field(name, { type: "fixed", name: `T${name}`, size: 1 }))),
    compile,
  },
  "references to one type": {
    make: (bytes) =>
      recordOf([
        field("first", { type: "fixed", name: "F", size: 1 }),
        ...names(bytes, 30).map((name) => field(name, "F")),
      ]),
    compile,
  },
  "aliases of a type": {
    make: (bytes) => ({ ...(recordOf([field("id")]) as object), aliases: names(bytes, 10) }),
    compile,
  },
  "aliases of a field": {
    make: (bytes) => recordOf([{ ...field("id"), aliases: names(bytes, 10) }]),
    compile,
  },
  "fields that the reader knows": {
    make: (bytes) => recordOf(names(bytes, 30).map((name) => field(name))),
    compile: (schema: never) => avro({ schema, writerSchemas: [reversed(schema)] }),
  },
  "fields that the reader skips": {
    make: (bytes) => recordOf([field("id"), ...names(bytes, 30).map((name) => field(name))]),
    compile: (schema: never) => avro({ schema: recordOf([field("id")]), writerSchemas: [schema] }),
  },
  "symbols that the reader lacks": {
    make: (bytes) => ({ type: "enum", name: "E", symbols: names(bytes, 10) }),
    compile: (schema: never) =>
      avro({ schema: { type: "enum", name: "E", symbols: ["A"], default: "A" }, writerSchemas: [schema] }),
  },
};

/** Smaller ones: ajv generates a function, whose compilation by the engine has a limit. */
const jsonSchemas: Readonly<Record<string, GrowingSchema>> = {
  properties: {
    make: (bytes) => ({
      type: "object",
      properties: Object.fromEntries(names(bytes / 64, 30).map((name) => [name, { type: "integer" }])),
    }),
    compile: compileJson,
  },
  "required members": {
    make: (bytes) => ({ type: "object", required: names(bytes / 64, 10) }),
    compile: compileJson,
  },
  "values of an enum": { make: (bytes) => ({ enum: names(bytes / 64, 10) }), compile: compileJson },
  "one of many": {
    make: (bytes) => ({ anyOf: names(bytes / 64, 20).map((name) => ({ const: name })) }),
    compile: compileJson,
  },
};

/** Schemas of every format, such as `Avro, schemas: fields`. */
export const growingSchemas: ReadonlyMap<string, GrowingSchema> = new Map(
  Object.entries({ Avro: avroSchemas, JSON: jsonSchemas }).flatMap(([format, schemas]) =>
    Object.entries(schemas).map(([name, schema]) => [`${format}, schemas: ${name}`, schema] as const),
  ),
);

function compile(schema: never): unknown {
  return avro({ schema });
}

function compileJson(schema: never): unknown {
  return json({ schema });
}

function reversed({ fields, ...rest }: { readonly fields: readonly unknown[] }): AvroSchema {
  return { ...rest, fields: fields.toReversed() } as never;
}
