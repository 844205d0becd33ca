import { assert, property } from "fast-check";
import { expect, it } from "vitest";
import { jsonSchemaPairs, names, scalars } from "../generated-schemas.test-support.js";
import { JsonSchemaDocument } from "./json-schema-document.js";
import { jsonSchemaObstacles } from "./json-schema-inclusion.js";

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
    property(jsonSchemaPairs, ([writer, reader]) => {
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
