import { readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { createRegistry } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { createPipeline, type DeserializationOutcome, type Pipeline, type Serializer } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { cbor } from "@waybill/serializer-cbor";
import { dotnetBinary } from "@waybill/serializer-dotnet";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { protobuf } from "@waybill/serializer-protobuf";
import { xml } from "@waybill/serializer-xml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { orderSchema } from "./avro-bodies.js";
import { corpus } from "./corpus.js";
import type { Body, Family } from "./family.js";

/** All bodies with `pnpm reliability full-samples`, and for the table of the docs; otherwise a few of each kind. */
const takesAll = process.env.WAYBILL_SAMPLES === "all" || process.env.UPDATE_DOCS === "1";
/** Maximum number of bodies of a kind that every chain reads. */
const sampleSize = takesAll ? 100 : 25;

const families = corpus();
/** The bodies that the chain of all reads with every content type. */
const tallied = takesAll ? families : families.map(sampled);
const readers = { json: json(), avro: avro({ schema: orderSchema }), msgpack: msgpack() };
/** In the recommended order: formats with a header first, formats without detection last. */
const formats = {
  avro: readers.avro,
  json: readers.json,
  msgpack: readers.msgpack,
  dotnet: dotnetBinary(),
  xml: xml(),
  cbor: cbor(),
  protobuf: protobuf({ registry: createRegistry(StructSchema) }),
};
const all = Object.values(formats);
const chains = [...permutations(Object.values(readers)), all];
const distinguishable = families.filter(({ mayBeTaken }) => mayBeTaken !== true);

/** Content types with which bodies are recognised by their bytes: none, and unknown ones. */
const openLabels = [undefined, "application/octet-stream", "application/x-order", "nonsense"];
/** Under it only formats of text are recognised. */
const textLabel = "text/plain; charset=utf-8";

/** Content types of formats that the chain does not have. */
const foreignLabels = ["text/csv", "application/x-capnp", "application/x-thrift", "application/bson"];
const moreForeignLabels = [
  "application/soap+msbin1",
  "application/yaml",
  "application/pdf",
  "application/zip",
  "image/png",
  "audio/mpeg",
  "video/mp4",
];

const { stackTraceLimit } = Error;
// Hundreds of thousands of bodies are refused here; the stack trace of each refusal would take longer than everything else.
beforeAll(() => {
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

describe.each(chains.map((chain) => [chain.map(({ name }) => name).join(" → "), chain] as const))(
  "%s",
  (_, chain) => {
    const pipeline = toPipeline(chain);
    const offered = distinguishable.map(sampled);

    it("reads its own undeclared bodies, and no others", () => {
      expect(allMisread(pipeline, readableBy(chain, offered), undefined)).toEqual({});
    });

    it.each(openLabels.slice(1))("is not misled by the content type %s", (contentType) => {
      expect(allMisread(pipeline, readableBy(chain, offered), contentType)).toEqual({});
    });
  },
);

describe("text/plain", () => {
  it("lets JSON and XML be recognised, and besides them only formats with a header", () => {
    const pipeline = toPipeline(all);
    const readFormats = families
      .map(sampled)
      .filter(({ bodies }) => bodies.some((body) => read(pipeline, body, textLabel).status === "decoded"))
      .map(({ format }) => format)
      .filter((format) => !/JSON|XML/.test(format));
    expect(readFormats).toEqual(["Avro single-object, known schema", "CBOR, self-described"]);
  });
});

describe("a content type of another format", () => {
  const labels = [...foreignLabels, ...moreForeignLabels];
  it.each(labels)("prevents bodies from being read, except formats with a header: %s", (contentType) => {
    const pipeline = toPipeline(all);
    const readFormats = families
      .map(sampled)
      .filter(({ bodies }) => bodies.some((body) => read(pipeline, body, contentType).status === "decoded"));
    expect(readFormats.map(({ format }) => format)).toEqual([
      "Avro single-object, known schema",
      "CBOR, self-described",
      "legacy .NET binary XML",
    ]);
  });
});

it("the corpus has more than 110 kinds of bodies in formats outside the chain", () => {
  const kinds = families.filter(({ bodies }) => bodies.every(({ meaning }) => meaning === undefined));
  expect(kinds.length).toBeGreaterThan(110);
  expect(new Set(families.map(({ format }) => format)).size).toBe(families.length);
  for (const { format, bodies } of families) expect(bodies.length, format).toBeGreaterThan(3);
});

it("no body is misread, unless its content type is wrong or it is well-formed in both formats", () => {
  const taken = families.filter(
    ({ mayBeTaken }, row) =>
      mayBeTaken !== true &&
      allTallies()
        [row]?.slice(0, 3)
        .some(({ other }) => other > 0) === true,
  );
  expect(taken.map(({ format }) => format)).toEqual([]);
});

const page = new URL("../../docs/deserialization.md", import.meta.url);

it.runIf(takesAll)("generates the tables of docs/deserialization.md", () => {
  const text = readFileSync(page, "utf8");
  const [start, end] = [
    "<!-- cross-format: generated, `UPDATE_DOCS=1 pnpm test` -->\n",
    "<!-- cross-format: end -->",
  ];
  const from = text.indexOf(start) + start.length;
  const updated = `${text.slice(0, from)}${table()}${text.slice(text.indexOf(end))}`;
  if (process.env.UPDATE_DOCS === "1") writeFileSync(page, updated);
  expect(readFileSync(page, "utf8")).toBe(updated);
});

it("reads bodies as the table of docs/deserialization.md says", () => {
  const lines = readFileSync(page, "utf8").split("\n");
  const different = families.flatMap(({ format, bodies }, row) => {
    const start = `| ${format} | ${bodies.length} | `;
    const cells = lines
      .find((line) => line.startsWith(start))
      ?.slice(start.length, -2)
      .split(" | ");
    const tallies = allTallies()[row] ?? [];
    return tallies.every((each, column) => agrees(each, cells?.[column], bodies.length)) ? [] : [format];
  });
  expect(different).toEqual([]);
});

/** A group of content types, and how the chain read each kind of body with them. */
interface Column {
  readonly heading: string;
  readonly labels: readonly (string | undefined)[];
}

/** How bodies were read: correctly, misread, and how often they were read. */
interface Tally {
  readonly right: number;
  readonly other: number;
  readonly total: number;
}

const columns: readonly Column[] = [
  // More content types of other formats are tested with samples above.
  { heading: "no content type, or an unknown one", labels: openLabels },
  { heading: "of another format", labels: foreignLabels },
  { heading: "`text/plain`", labels: [textLabel] },
  ...all.map(({ name, mediaTypes }) => ({
    heading: `\`${mediaTypes[0]}\``,
    labels: name === "protobuf" ? [`${mediaTypes[0]}; proto=google.protobuf.Struct`] : mediaTypes.slice(0, 1),
  })),
];

let tallies: Tally[][] | undefined;

/** The results for the bodies of each kind, by column; computed once for all tests. */
function allTallies(): readonly (readonly Tally[])[] {
  const pipeline = toPipeline(all);
  tallies ??= tallied.map(({ bodies }) => columns.map(({ labels }) => tally(pipeline, bodies, labels)));
  return tallies;
}

function table(): string {
  const tallies = allTallies();
  const rows = families.map(({ format, bodies }, row) => {
    const cells = tallies[row]?.map((each, column) => cell(each, columns[column]?.labels.length ?? 1)) ?? [];
    return `| ${format} | ${bodies.length} | ${cells.join(" | ")} |`;
  });
  const header = ["the bytes are", "bodies", ...columns.map(({ heading }) => heading)];
  return [
    ...statement(tallies),
    "",
    `| ${header.join(" | ")} |`,
    `|${" --- |".repeat(header.length)}`,
    ...rows,
    "",
  ].join("\n");
}

/** The measurement in words: how many readings returned a wrong value. */
function statement(tallies: readonly (readonly Tally[])[]): string[] {
  const bodyCount = families.reduce((sum, { bodies }) => sum + bodies.length, 0);
  const over = (column: number, isDistinguishable: boolean): Tally =>
    families
      .map(({ mayBeTaken }, row) =>
        (mayBeTaken !== true) === isDistinguishable ? tallies[row]?.[column] : undefined,
      )
      .reduce<Tally>(
        (sum, each) => ({
          right: sum.right + (each?.right ?? 0),
          other: sum.other + (each?.other ?? 0),
          total: sum.total + (each?.total ?? 0),
        }),
        { right: 0, other: 0, total: 0 },
      );
  const named = columns.slice(2).map((column, index) => {
    const { other, total } = over(index + 2, true);
    return `- with ${column.heading}: ${share(other, total)};`;
  });
  const open = over(0, true);
  const foreign = over(1, true);
  const twins = over(0, false);
  return [
    `${number(bodyCount)} bodies of ${families.length} kinds, with ${columns.flatMap(({ labels }) => labels).length} content types. Misread:`,
    "",
    `- without a content type or with an unknown one: ${share(open.other, open.total)};`,
    `- with the content type of another format: ${share(foreign.other, foreign.total)};`,
    ...named,
    `- JSON in another character set that is accidentally valid UTF-8 (two kinds), without a content type or with an unknown one: ${share(twins.other, twins.total)}.`,
  ];
}

function share(count: number, total: number): string {
  if (count === 0) return `0 of ${number(total)}`;
  return `${number(count)} of ${number(total)}, ${((100 * count) / total).toPrecision(2)} %`;
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}

/** How many of the bodies the chain read correctly with each of the content types, and how many it misread. */
function tally(pipeline: Pipeline, bodies: readonly Body[], labels: readonly (string | undefined)[]): Tally {
  let right = 0;
  let other = 0;
  for (const label of labels) {
    for (const body of bodies) {
      const outcome = read(pipeline, body, label);
      if (outcome.status !== "decoded") continue;
      if (isRight(outcome, body)) right++;
      else other++;
    }
  }
  return { right, other, total: bodies.length * labels.length };
}

/** Counts bodies, not readings, if they were read with several content types. */
function cell({ right, other }: Tally, labels: number): string {
  const parts = [
    right > 0 ? `${right / labels} read` : "",
    other > 0 ? `${Math.ceil(other / labels)} accepted` : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? "refused" : parts.join(", ");
}

/** Whether readings of some bodies of a kind can be those that the cell of all its bodies counts. */
function agrees({ right, other, total }: Tally, text: string | undefined, bodyCount: number): boolean {
  const [, read] = /^(\d+) read/.exec(text ?? "") ?? [];
  if (read === undefined && right > 0) return false;
  if (Number(read) === bodyCount && right < total) return false;
  return text !== undefined && (other === 0 || text.endsWith(" accepted"));
}

/** The families, without the meaning of bodies in formats that the chain does not have. */
function readableBy(chain: readonly Serializer[], offered: readonly Family[]): Family[] {
  const names = new Set(chain.map(({ name }) => name));
  return offered.map((family) => ({
    ...family,
    bodies: family.bodies.map((body) =>
      body.meaning === undefined || names.has(body.meaning.format) ? body : { bytes: body.bytes },
    ),
  }));
}

/** A sample of the bodies of a large family. */
function sampled(family: Family): Family {
  const step = Math.ceil(family.bodies.length / sampleSize);
  return { ...family, bodies: family.bodies.filter((_, index) => index % step === 0) };
}

/** The misread bodies of each kind. */
function allMisread(
  pipeline: Pipeline,
  offered: readonly Family[],
  contentType: string | undefined,
): Record<string, string[]> {
  const misreadKinds = offered.map(
    ({ format, bodies }) => [format, misread(pipeline, bodies, contentType)] as const,
  );
  return Object.fromEntries(misreadKinds.filter(([, bodies]) => bodies.length > 0));
}

/** The bodies, in hex, that are misread with a content type of no format of the chain. */
function misread(pipeline: Pipeline, bodies: readonly Body[], contentType: string | undefined): string[] {
  const wrong = bodies.filter((body) => {
    const outcome = read(pipeline, body, contentType);
    const isReadable = body.meaning !== undefined && body.needsLabel !== true;
    return isReadable ? !isRight(outcome, body) : outcome.status !== "undeserializable";
  });
  return wrong.map(({ bytes }) => Buffer.from(bytes.subarray(0, 40)).toString("hex"));
}

function isRight(outcome: DeserializationOutcome, { meaning }: Body): boolean {
  return (
    outcome.status === "decoded" &&
    meaning !== undefined &&
    outcome.report.serializer === meaning.format &&
    isDeepStrictEqual(outcome.body, meaning.value)
  );
}

function read(pipeline: Pipeline, { bytes }: Body, contentType: string | undefined): DeserializationOutcome {
  return pipeline.deserialize({ body: bytes, contentType }) as DeserializationOutcome;
}

function toPipeline([serializer, ...additionalDeserializers]: readonly Serializer[]): Pipeline {
  return createPipeline({ serializer: serializer!, additionalDeserializers });
}

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  );
}
