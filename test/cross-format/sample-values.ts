import examples from "@octokit/webhooks-examples";
import fc from "fast-check";

const seed = 20_260_314;

/** Objects and arrays: real webhook payloads and generated values. */
export function containers(): unknown[] {
  const webhooks = (examples as unknown as { examples: unknown[] }[])
    .slice(0, 60)
    .map((event) => event.examples[0]);
  const key = fc
    .oneof(fc.constantFrom("id", "name", "items", "total", "ok"), fc.string({ maxLength: 12 }))
    .filter((k) => k !== "__proto__");
  const leaf = fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
    fc.string(),
    fc.boolean(),
    fc.constant(null),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.array(fc.oneof({ maxDepth: 4 }, leaf, tie("tree")), { maxLength: 20 }),
      fc.dictionary(key, fc.oneof({ maxDepth: 4 }, leaf, tie("tree")), {
        maxKeys: 20,
        noNullPrototype: true,
      }),
    ),
  }));
  // A round trip through JSON, because it has no negative zero and the expected value must be the same for every format.
  return [...webhooks, ...fc.sample(tree, { numRuns: 240, seed })].map((value) =>
    JSON.parse(JSON.stringify(value)),
  );
}

export function sampleScalars() {
  return fc.sample(
    fc.oneof(fc.integer(), fc.double({ noNaN: true }), fc.string(), fc.boolean(), fc.constant(null)),
    {
      numRuns: 150,
      seed,
    },
  );
}

/** An order that fits the schema of the chain's Avro serializer. */
export type SampleOrder = ReturnType<typeof sampleOrders>[number];

export function sampleOrders() {
  return fc.sample(
    fc.record(
      { id: fc.string(), quantity: fc.integer(), note: fc.option(fc.string({ maxLength: 300 })) },
      { noNullPrototype: true },
    ),
    { numRuns: 200, seed },
  );
}

export function sentences(): Uint8Array[] {
  const word = fc.constantFrom(
    "order",
    "shipped",
    "2026-03-14",
    "ERROR",
    "null",
    "true",
    "42",
    "3.14",
    "customer",
    "naïve",
    "注文",
  );
  return fc
    .sample(fc.array(word, { minLength: 2, maxLength: 30 }), { numRuns: 200, seed })
    .map((words) => Buffer.from(words.join(" ")));
}

export function random(minLength: number, maxLength: number, numRuns: number): Uint8Array[] {
  return fc.sample(fc.uint8Array({ minLength, maxLength, size: "max" }), { numRuns, seed });
}
