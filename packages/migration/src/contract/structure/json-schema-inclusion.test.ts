import type { JsonSchema } from "@waybill/serializer-json";
import {
  type Arbitrary,
  array,
  assert,
  constant,
  constantFrom,
  dictionary,
  type MaybeWeightedArbitrary,
  oneof,
  option,
  property,
  record,
  tuple,
  uniqueArray,
} from "fast-check";
import { expect, it } from "vitest";
import { JsonSchemaDocument } from "./json-schema-document.js";
import { jsonSchemaObstacles } from "./json-schema-inclusion.js";

type Keywords = Record<string, unknown>;

const names = ["a", "b", "ab", "c"];
const scalars = [null, true, 0, 1, 2, 3, 1.5, -1, "a", "b", "ab", "2026-11-05"];
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

/** A schema, and the same with some of its keywords replaced, dropped or added somewhere. */
const pairs = tuple(schemas(2), schemas(1), schemas(2), constantFrom(0, 1, 2, 3, 4, 5)).map(
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

/** Values of every kind that the schemas can tell apart. */
const values: readonly unknown[] = (() => {
  const lists = scalars.flatMap((one) => [[one], ...scalars.slice(0, 8).map((two) => [one, two])]);
  const objects = names.flatMap((name) => scalars.map((value) => ({ [name]: value })));
  const larger = names.flatMap((name) =>
    names.flatMap((other) => scalars.slice(0, 10).map((value) => ({ [name]: value, [other]: "a" }))),
  );
  const nested = names.flatMap((name) => [
    { [name]: [] },
    { [name]: {} },
    { [name]: { a: 1 } },
    { [name]: { a: "a", b: 1 } },
    { [name]: ["a", 1] },
  ]);
  return [
    ...scalars,
    "",
    "abc",
    4,
    0.5,
    [],
    {},
    [[]],
    [{}],
    [{ a: 1 }],
    [1, 2, 3],
    ["a", "a", "b"],
    ...lists,
    ...objects,
    ...larger,
    ...nested,
  ];
})();

/** A few, the same each time; `SCHEMA_PAIRS=2000` tries more and prints how many were decided. */
const pairsInTest = 60;
const runs = Number(process.env.SCHEMA_PAIRS ?? pairsInTest);

it("what is proved of two JSON Schemas holds for every value", () => {
  const counts = { proved: 0, breaks: 0, breaksWithValue: 0, notDecided: 0 };
  assert(
    property(pairs, ([writer, reader]) => {
      const [from, to] = [new JsonSchemaDocument(writer), new JsonSchemaDocument(reader)];
      if (isInvalid(from) || isInvalid(to)) return;
      const obstacles = jsonSchemaObstacles(writer, reader, { writesOnlyDeclared: false });
      const written = values.filter((value) => from.accepts(writer, value) === true);
      const refused = written.filter((value) => to.accepts(reader, value) === false);
      if (obstacles.length === 0) {
        counts.proved++;
        expect({ writer, reader, refused }).toEqual({ writer, reader, refused: [] });
      } else if (obstacles.some(({ kind }) => kind === "breaks")) {
        counts.breaks++;
        if (refused.length > 0) counts.breaksWithValue++;
      } else counts.notDecided++;
    }),
    { numRuns: runs, seed: 1 },
  );
  if (runs > pairsInTest) console.log(counts);
  expect(counts.proved).toBeGreaterThan(0);
});

function isInvalid(document: JsonSchemaDocument): boolean {
  try {
    return document.accepts(document.root, null) === undefined;
  } catch {
    return true;
  }
}
