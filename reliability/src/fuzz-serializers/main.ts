import { createPipeline, type Serializer, WaybillError } from "@waybill/core";
import { type DeserializeContext, parseMediaType } from "@waybill/core/serializer";
import { required } from "@waybill/foundation";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import fc from "fast-check";
import { newSeed, readOptions } from "waybill-harness/options.js";
import { timeOf } from "../fuzz/time-of.js";

// Feeds random and damaged bodies to every serializer, to the chain of all of them, and to the media-type parser. Every input must quickly give a
// value or a WaybillError with a reason. Exits with 1 and prints the input otherwise.

const { runs, seed } = readOptions({ runs: 200_000, seed: newSeed() });
const maxMs = 50;

const schema = {
  type: "record",
  name: "Node",
  fields: [
    { name: "id", type: "long" },
    { name: "name", type: ["null", "string"] },
    { name: "kind", type: { type: "enum", name: "Kind", symbols: ["A", "B"] } },
    { name: "tags", type: { type: "map", values: "double" } },
    { name: "nothing", type: { type: "array", items: "null" } },
    { name: "raw", type: "bytes" },
    { name: "next", type: { type: "array", items: "Node" } },
  ],
} as const;

const serializers: Serializer[] = [json(), avro({ schema }), msgpack()];
const pipeline = createPipeline({
  serializer: required(serializers[0]),
  additionalDeserializers: serializers.slice(1),
});

const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  node: fc.record({
    id: fc.maxSafeInteger(),
    name: fc.option(fc.string({ unit: "grapheme" })),
    kind: fc.constantFrom("A", "B"),
    tags: fc.dictionary(
      fc.string().filter((key) => key !== "__proto__"),
      fc.double(),
      { maxKeys: 5, noNullPrototype: true },
    ),
    nothing: fc.array(fc.constant(null), { maxLength: 5 }),
    raw: fc.uint8Array({ maxLength: 20 }),
    next: fc.oneof({ maxDepth: 3 }, fc.constant([]), fc.array(tie("node"), { maxLength: 3 })),
  }),
})).node;

/** Bytes that are valid, almost valid, or nothing at all. */
const body = fc.oneof(
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 64 }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 4096, size: "max" }) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(value, fc.nat(2), fc.array(damage(), { maxLength: 4 }))
      .map(([v, i, d]) => damaged(v, i, d)),
  },
);

const contentType = fc.oneof(
  fc.constantFrom(
    undefined,
    ...serializers.flatMap(({ mediaTypes }) => mediaTypes.map((type) => type.replace(/^\+/, "a/b+"))),
  ),
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom(...'aA/;="\\+ \t0é,') }),
);

const inputs = fc.record({
  body,
  contentType,
  isDeclared: fc.boolean(),
  encoding: fc.constantFrom(undefined, undefined, "gzip", "br", "x"),
});

console.log(`Fuzzing with ${runs} inputs, seed ${seed}.`);
let done = 0;
fc.assert(
  fc.property(inputs, (input) => {
    const context = contextOf(input);
    for (const serializer of serializers)
      timed(serializer.name, () => readAlone(serializer, input.body, context));
    timed("media type", () => parseMediaType(input.contentType ?? ""));
    timed("pipeline", () =>
      pipeline.deserialize({
        body: input.body,
        contentType: input.contentType,
        ...(input.encoding === undefined
          ? {}
          : { applicationProperties: { "Content-Encoding": input.encoding } }),
      }),
    );
    if (++done % 20_000 === 0) console.log(`${done} inputs`);
  }),
  { numRuns: runs, seed },
);
console.log(`All ${runs} inputs ended in a value or a refusal.`);

function readAlone(serializer: Serializer, bytes: Uint8Array, context: DeserializeContext): void {
  const before = Buffer.from(bytes);
  try {
    const read = serializer.deserialize(bytes, context);
    if (read === undefined) throw new Error(`${serializer.name} returned nothing.`);
  } catch (error) {
    if (!(error instanceof WaybillError) || error.reason === undefined) throw error;
  }
  if (!before.equals(bytes)) throw new Error(`${serializer.name} changed its input.`);
}

/** One slow run may be due to a busy machine; an input that is slow three times is a defect. */
function timed(what: string, work: () => unknown): void {
  for (let tries = 1; ; tries++) {
    const took = timeOf(work);
    if (took <= maxMs) return;
    if (tries === 3) throw new Error(`${what} took ${took.toFixed(0)} ms.`);
  }
}

function contextOf(input: { contentType: string | undefined; isDeclared: boolean }): DeserializeContext {
  return {
    messageType: undefined,
    contentType: input.contentType,
    mediaType: parseMediaType(input.contentType ?? ""),
    applicationProperties: {},
    abortSignal: undefined,
    isDeclared: input.isDeclared,
    maxDepth: 128,
  };
}

type Damage = {
  readonly at: number;
  readonly kind: "flip" | "cut" | "insert" | "repeat";
  readonly byte: number;
};

function damage(): fc.Arbitrary<Damage> {
  return fc.record({
    at: fc.nat(),
    kind: fc.constantFrom("flip", "cut", "insert", "repeat"),
    byte: fc.oneof(fc.nat(255), fc.constantFrom(0x00, 0x7f, 0x80, 0xc1, 0xdc, 0xdd, 0xdf, 0xfe, 0xff)),
  });
}

function damaged(source: unknown, index: number, damages: readonly Damage[]): Uint8Array {
  let bytes = [...written(source, index)];
  for (const { at, kind, byte } of damages) {
    const position = bytes.length === 0 ? 0 : at % bytes.length;
    if (kind === "flip") bytes[position] = byte;
    else if (kind === "cut") bytes = bytes.slice(0, position);
    else if (kind === "insert") bytes.splice(position, 0, byte);
    else bytes.push(...bytes.slice(position, position + 64));
  }
  return Uint8Array.from(bytes);
}

function written(source: unknown, index: number): Uint8Array {
  const serializer = required(serializers[index]);
  // JSON has no bytes: the text of them stands in.
  const plain = index === 0 ? JSON.parse(JSON.stringify(source)) : source;
  const context = { ...contextOf({ contentType: undefined, isDeclared: true }) };
  return (serializer.serialize(plain, context) as { bytes: Uint8Array }).bytes;
}
