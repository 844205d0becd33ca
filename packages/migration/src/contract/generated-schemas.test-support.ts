import type { JsonSchema } from "@waybill/serializer-json";
import {
  type Arbitrary,
  array,
  boolean,
  constant,
  constantFrom,
  dictionary,
  type MaybeWeightedArbitrary,
  oneof,
  option,
  record,
  sample,
  tuple,
  uniqueArray,
} from "fast-check";

type Keywords = Record<string, unknown>;

export const names = ["a", "b", "ab", "c"];
export const scalars = [null, true, 0, 1, 2, 3, 1.5, -1, "a", "b", "ab", "2026-11-05"];
const maybe = <Value>(value: Arbitrary<Value>) => option(value, { freq: 3, nil: undefined });
const condition = ["if", "then", "else"];
const small = constantFrom(0, 1, 2, 3);

/** Schemas of few names and small limits, so that two of them often have to do with each other. */
function schemas(depth: number): Arbitrary<JsonSchema> {
  const inner: Arbitrary<JsonSchema> =
    depth === 0 ? constantFrom<JsonSchema>(true, false, { type: "string" }) : schemas(depth - 1);
  const numbers = record({
    type: constantFrom("number", "integer"),
    minimum: maybe(small),
    maximum: maybe(small),
    exclusiveMinimum: maybe(small),
    exclusiveMaximum: maybe(small),
    multipleOf: maybe(constantFrom(1, 2, 0.5)),
  });
  const texts = record({
    type: constant("string"),
    minLength: maybe(small),
    maxLength: maybe(small),
    pattern: maybe(constantFrom("^a", "b$")),
    format: maybe(constantFrom("date", "email")),
  });
  const arrays = record({
    type: constant("array"),
    items: maybe(inner),
    prefixItems: maybe(array(inner, { minLength: 1, maxLength: 2 })),
    minItems: maybe(small),
    maxItems: maybe(small),
    uniqueItems: maybe(constant(true)),
    contains: maybe(inner),
  });
  const objects = record({
    type: constant("object"),
    properties: maybe(dictionary(constantFrom(...names), inner, { maxKeys: 3 })),
    required: maybe(uniqueArray(constantFrom(...names), { maxLength: 2 })),
    additionalProperties: maybe(oneof(constant(false), inner)),
    patternProperties: maybe(dictionary(constantFrom("^a", "b$"), inner, { minKeys: 1, maxKeys: 2 })),
    minProperties: maybe(small),
    maxProperties: maybe(small),
    propertyNames: maybe(constantFrom({ pattern: "^a" }, { enum: ["a", "b"] })),
    dependentRequired: maybe(constantFrom({ a: ["b"] })),
  });
  const listed = record({ enum: uniqueArray(constantFrom(...scalars), { minLength: 1, maxLength: 3 }) });
  const several = array(inner, { minLength: 1, maxLength: 3 });
  const combined = oneof(
    record({ anyOf: several }),
    record({ oneOf: several }),
    record({ allOf: several }),
    record({ not: inner }),
    tuple(inner, maybe(inner), maybe(inner)).map((parts) =>
      Object.fromEntries(condition.map((keyword, index) => [keyword, parts[index]])),
    ),
    record({
      type: uniqueArray(constantFrom("null", "string", "integer", "number", "object", "array", "boolean"), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
    constantFrom({ $ref: "#" }, { $ref: "#/$defs/other" }),
  );
  const kinds: MaybeWeightedArbitrary<object>[] = [
    { weight: 2, arbitrary: numbers },
    { weight: 2, arbitrary: texts },
    { weight: 2, arbitrary: arrays },
    { weight: 4, arbitrary: objects },
    { weight: 2, arbitrary: listed },
    { weight: depth === 0 ? 0 : 3, arbitrary: combined },
  ];
  return oneof(...kinds).map((keywords) => withoutUndefined(keywords));
}

function withoutUndefined(keywords: object): Keywords {
  return Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined));
}

/** A JSON Schema, and the same with some of its keywords replaced, dropped or added somewhere. */
export const jsonSchemaPairs = tuple(schemas(2), schemas(1), schemas(2), constantFrom(0, 1, 2, 3, 4, 5)).map(
  ([one, other, third, change]) => {
    const root = typeof one === "object" ? one : { allOf: [one] };
    const changed = [
      { ...root, ...(typeof third === "object" ? third : {}) },
      Object.fromEntries(Object.entries(root).slice(1)),
      { allOf: [root, other] },
      { anyOf: [other, root] },
      { ...root, properties: { ...(root.properties as object), a: other } },
      third,
    ][change] as JsonSchema;
    const withOther = (schema: JsonSchema, $defs: object) =>
      typeof schema === "object" ? { ...schema, $defs } : schema;
    return [withOther(root, { other }), withOther(changed, { other: change === 0 ? third : other })] as const;
  },
);

/** So many values of an arbitrary, the same each time. */
export function someOf<Value>(arbitrary: Arbitrary<Value>, count: number): readonly Value[] {
  return sample(arbitrary, { numRuns: count, seed: 1 });
}

const avroNames = ["a", "b", "c"];
const logicalTypes: readonly object[] = [
  { type: "int", logicalType: "date" },
  { type: "int", logicalType: "timestamp-millis" },
  { type: "long", logicalType: "timestamp-millis" },
  { type: "long", logicalType: "timestamp-micros" },
  { type: "long", logicalType: "local-timestamp-millis" },
  { type: "bytes", logicalType: "decimal", precision: 4, scale: 2 },
  { type: "bytes", logicalType: "decimal", precision: 6, scale: 2 },
  { type: "bytes", logicalType: "decimal", precision: 4 },
  { type: "bytes", logicalType: "decimal" },
  { type: "string", logicalType: "uuid" },
  { type: "string", logicalType: "unheard-of" },
];

/** An Avro schema whose named types may be defined more than once, which {@link avroSchemas} mends. */
function avroAt(depth: number, isRecord = false): Arbitrary<unknown> {
  const primitive = constantFrom("null", "boolean", "int", "long", "float", "double", "bytes", "string");
  const fixed = tuple(constantFrom(8, 12, 16), constantFrom(undefined, "decimal", "uuid", "duration")).map(
    ([size, logicalType]) => ({
      type: "fixed",
      name: "F",
      size,
      ...(logicalType === undefined ? {} : { logicalType, precision: 5 }),
    }),
  );
  const enumeration = tuple(
    uniqueArray(constantFrom("A", "B", "C"), { minLength: 1 }),
    boolean(),
    constantFrom<object>({ name: "E" }, { name: "x.E" }, { name: "G", aliases: ["E"] }),
  ).map(([symbols, hasDefault, naming]) => ({
    type: "enum",
    ...naming,
    symbols,
    ...(hasDefault ? { default: symbols[0] } : {}),
  }));
  const simple = oneof(primitive, constantFrom(...logicalTypes), fixed, enumeration);
  if (depth === 0) return simple;
  const inner = avroAt(depth - 1);
  const field = record({
    type: inner,
    aliases: maybe(constantFrom(["a"], ["b"], ["old"])),
    default: maybe(constant(0)),
  });
  const naming = constantFrom<object>(
    { name: `R${depth}` },
    { name: `R${depth}`, namespace: "shop" },
    { name: `other.R${depth}` },
    { name: `S${depth}`, aliases: [`R${depth}`] },
  );
  const object = tuple(
    naming,
    uniqueArray(constantFrom(...avroNames), { minLength: 1 }),
    array(field, { minLength: 3, maxLength: 3 }),
  ).map(([named, fieldNames, fields]) => ({
    type: "record",
    ...named,
    fields: fieldNames.map((name, index) => withoutUndefined({ name, ...fields[index] })),
  }));
  if (isRecord) return object;
  return oneof(
    { weight: 1, arbitrary: simple },
    { weight: 1, arbitrary: inner.map((items) => ({ type: "array", items })) },
    { weight: 1, arbitrary: inner.map((values) => ({ type: "map", values })) },
    { weight: 2, arbitrary: array(inner, { minLength: 1, maxLength: 3 }).map((branches) => branches.flat()) },
    { weight: 4, arbitrary: object },
  );
}

/** What is defined a second time is a reference to the first. */
function referring(schema: unknown, defined: Map<string, string>, namespace = ""): unknown {
  if (Array.isArray(schema)) return schema.map((each) => referring(each, defined, namespace));
  if (typeof schema !== "object" || schema === null) return schema;
  const { name = "", type, namespace: own = namespace } = schema as Readonly<Record<string, string>>;
  const isDefinition = ["record", "enum", "fixed"].includes(String(type));
  const known = isDefinition ? defined.get(name) : undefined;
  if (known !== undefined) return known;
  const full = name.includes(".") || own === "" ? name : `${own}.${name}`;
  // Its full name has a point in front where it has no namespace and stands in one.
  if (isDefinition) defined.set(name, full.includes(".") ? full : `.${full}`);
  const inner = type === "record" ? full.slice(0, Math.max(0, full.lastIndexOf("."))) : namespace;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      ["type", "items", "values", "fields"].includes(key) ? referring(value, defined, inner) : value,
    ]),
  );
}

/** Records of Avro of few names, so that two of them often have to do with each other. */
export const avroSchemas = avroAt(2, true).map((schema) => referring(schema, new Map()));

/** Descriptors of Protobuf in JSON, as contracts have them, of few names and numbers. */
export const protobufTypes = (() => {
  const presence = constantFrom<object>({}, {}, { fieldPresence: "LEGACY_REQUIRED" });
  const types = [
    "INT32",
    "INT64",
    "UINT32",
    "SINT32",
    "FIXED64",
    "BOOL",
    "STRING",
    "BYTES",
    "DOUBLE",
    "FLOAT",
  ];
  const field = record({
    name: constantFrom("a", "b", "order_id", "to_string"),
    number: constantFrom(1, 2, 3, 4),
    kind: oneof(
      constantFrom(...types.map((type) => ({ type: `TYPE_${type}` }))),
      constantFrom(
        { type: "TYPE_MESSAGE", typeName: ".shop.Order" },
        { type: "TYPE_MESSAGE", typeName: ".shop.Line" },
        { type: "TYPE_MESSAGE", typeName: ".shop.Order.Entry", label: "LABEL_REPEATED" },
        { type: "TYPE_GROUP", typeName: ".shop.Line" },
        { type: "TYPE_MESSAGE", typeName: ".google.protobuf.Int64Value" },
        { type: "TYPE_MESSAGE", typeName: ".google.protobuf.Struct" },
        { type: "TYPE_ENUM", typeName: ".shop.Color" },
        { type: "TYPE_ENUM", typeName: ".shop.Order.Status" },
      ),
    ),
    label: constantFrom("LABEL_OPTIONAL", "LABEL_OPTIONAL", "LABEL_REPEATED", "LABEL_REQUIRED"),
    oneofIndex: maybe(constantFrom(0, 1)),
    proto3Optional: maybe(constant(true)),
    defaultValue: maybe(constantFrom("0", "0.0", "", "false", "7", "seven")),
    options: maybe(
      tuple(maybe(constant("JS_STRING")), presence, maybe(constant({ messageEncoding: "DELIMITED" }))).map(
        ([jstype, features, encoding]) =>
          withoutUndefined({ jstype, features: { ...features, ...encoding } }),
      ),
    ),
  }).map(({ kind, ...more }) => withoutUndefined({ ...more, ...kind }));
  const enumeration = (name: string) =>
    record({
      value: uniqueArray(constantFrom(0, 1, 2), { minLength: 1 }),
      enumType: maybe(constantFrom("OPEN", "CLOSED")),
    }).map(({ value, enumType }) => ({
      name,
      value: value.map((number) => ({ name: `V${number}`, ...(number === 0 ? {} : { number }) })),
      ...(enumType === undefined ? {} : { options: { features: { enumType } } }),
    }));
  const fields = (maxLength: number) =>
    uniqueArray(field, { maxLength, selector: ({ number }) => number as number }).map((several) =>
      several.filter(({ name }, index) => several.findIndex((each) => each.name === name) === index),
    );
  const entry = record({ type: constantFrom("TYPE_STRING", "TYPE_BOOL", "TYPE_INT32"), value: field }).map(
    ({ type, value }) => ({
      name: "Entry",
      options: { mapEntry: true },
      field: [
        { name: "key", number: 1, type },
        { ...value, name: "value", number: 2, label: "LABEL_OPTIONAL", oneofIndex: undefined },
      ].map(withoutUndefined),
    }),
  );
  return record({
    syntax: maybe(constantFrom("proto2", "proto3")),
    name: constantFrom("Order", "Order", "Order", "Line"),
    order: fields(4),
    line: fields(2),
    entry,
    status: enumeration("Status"),
    color: enumeration("Color"),
    reserved: array(
      constantFrom<object>({ start: 1, end: 2 }, { start: 3, end: 5 }, { start: 2 }, { end: 1 }),
      { maxLength: 1 },
    ),
    features: maybe(constantFrom<object>({ enumType: "CLOSED" }, { messageEncoding: "DELIMITED" })),
  }).map(({ syntax, name, order, line, entry, status, color, reserved, features }) => ({
    message: `shop.${name}`,
    files: [
      withoutUndefined({
        package: "shop",
        syntax,
        enumType: [color],
        messageType: [
          {
            name: "Order",
            field: order,
            nestedType: [entry],
            enumType: [status],
            oneofDecl: [{ name: "choice" }, { name: "other_choice" }],
            reservedRange: reserved,
          },
          { name: "Line", field: line, oneofDecl: [{ name: "choice" }, { name: "x" }] },
        ],
        ...(features === undefined ? {} : { options: { features } }),
      }),
      {
        package: "google.protobuf",
        syntax: "proto3",
        messageType: [
          { name: "Int64Value", field: [{ name: "value", number: 1, type: "TYPE_INT64" }] },
          { name: "Struct" },
        ],
      },
    ],
  }));
})();
