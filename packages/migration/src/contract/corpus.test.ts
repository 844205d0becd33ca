import { inspect } from "node:util";
import { createPipeline, defineMessage, type Pipeline } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { protobuf } from "@waybill/serializer-protobuf";
import { describe, expect, it } from "vitest";
import { type ContractFinding, checkContract, contractOf, type WrittenForm } from "../contract.js";
import { avroSchemaOf, type CorpusRow, corpus, protobufOf } from "./corpus.test-support.js";
import { converterRows, downcasterRows, formatRows, optionRows } from "./corpus-services.test-support.js";

/** How each format of the corpus becomes the chain of a service. */
const chains: Readonly<
  Record<string, (schema: unknown, side: "old" | "new", all: readonly unknown[]) => Pipeline>
> = {
  avro(schema, side, all) {
    // With a registry, as the specification's rules presume: each side can get the schema of the other.
    const byId = new Map(all.map((each, index) => [index === 0 ? "old" : "new", avroSchemaOf(String(each))]));
    const definition = { schema: avroSchemaOf(String(schema)), schemaId: side };
    return createPipeline({
      serializer: avro({ framing: "raw", schemaById: (id) => byId.get(id) as never }),
      messageTypes: [defineMessage("m", { version: 1, schemas: { 1: { avro: definition } } })],
    });
  },
  "json-schema": (schema) =>
    createPipeline({
      serializer: json(),
      messageTypes: [defineMessage("m", { version: 1, schemas: { 1: { json: schema } } })],
    }),
  protobuf(schema) {
    const { registry, message } = protobufOf(String(schema));
    return createPipeline({
      // The type of the message is known to the serializer, and its name still stands in the content type.
      serializer: protobuf({
        registry,
        typeOf: ({ mediaType }) => mediaType?.parameters.get("proto") ?? message,
      }),
      messageTypes: [defineMessage("m", { version: 1 })],
    });
  },
};

/** The worst finding of each direction; `forward` is of what a write plan adds, if there is one. */
async function findings(
  old: Pipeline,
  now: Pipeline,
  alsoWrites: readonly WrittenForm[] = [],
): Promise<Record<"backward" | "forward", ContractFinding>> {
  const { findings } = await checkContract({
    contract: contractOf(now, { service: "now", alsoWrites: { m: alsoWrites } }),
    pipeline: now,
    baselines: [{ name: "before", contract: contractOf(old, { service: "before" }) }],
  });
  const planned = alsoWrites[0]?.version;
  const of = (direction: string): ContractFinding => {
    const found = findings.filter(
      (finding) =>
        finding.direction === direction &&
        (direction !== "forward" || planned === undefined || finding.version === planned),
    );
    const verdicts = ["incompatible", "not-decided", "compatible"];
    return found.sort((a, b) => verdicts.indexOf(a.verdict) - verdicts.indexOf(b.verdict))[0]!;
  };
  return { backward: of("backward"), forward: of("forward") };
}

type Truth = Pick<CorpusRow, "change" | "backward" | "forward" | "backwardHere" | "forwardHere">;

interface Counted {
  readonly row: Truth;
  readonly format: string;
  readonly direction: "backward" | "forward";
  readonly finding: ContractFinding;
}

const counted: Counted[] = [];

/** What specifications call incompatible is never called compatible, nor the other way round. */
function expectVerdicts(format: string, row: Truth, found: Awaited<ReturnType<typeof findings>>): void {
  for (const direction of ["backward", "forward"] as const) {
    const finding = found[direction];
    counted.push({ row, format, direction, finding });
    const truth = row[direction];
    const here = row[`${direction}Here`] ?? truth;
    const { verdict, obstacles, trial } = finding;
    const seen = { direction, verdict, obstacles, trial };
    if (truth === "incompatible" || here === "incompatible")
      expect(seen).not.toMatchObject({ verdict: "compatible" });
    else expect(seen).not.toMatchObject({ verdict: "incompatible" });
  }
}

describe.each(Object.keys(chains))("the changes of %s", (format) => {
  it.each(corpus(format).map((row) => [row.change, row] as const))(
    "never have the opposite verdict of their specification: %s",
    async (_, row) => {
      const make = chains[format]!;
      const all = [row.old, row.new];
      expectVerdicts(format, row, await findings(make(row.old, "old", all), make(row.new, "new", all)));
    },
  );
});

describe.each([
  ...Object.entries(formatRows),
  ["converters", converterRows],
  ["downcasters", downcasterRows],
  ["options", optionRows],
] as const)("the changes of %s", (name, rows) => {
  it.each(rows.map((row) => [row.change, row] as const))(
    "never have the opposite verdict: %s",
    async (_, row) => {
      expectVerdicts(name, row, await findings(row.old, row.new, row.alsoWrites));
    },
  );
});

/** What a check says of a change, in lines: the verdict and the values that were tried, what the schemas lack, and the value that fails. */
function linesOf({ format, row, direction, finding }: Counted): string {
  const { verdict, obstacles, trial } = finding;
  const { counterexample: found, tried, note } = trial;
  return [
    `${format}, ${row.change}, ${direction}: ${verdict}, ${note ?? `${tried} tried`}`,
    ...obstacles.map(({ kind, path, text }) => `  ${kind} at ${path === "" ? "the root" : path}: ${text}`),
    ...(found === undefined
      ? []
      : [`  ${inspect(found.value)}: ${found.stage}, ${found.reason}: ${found.text}`]),
  ].join("\n");
}

it("are reported as test/contract-corpus/findings.txt says", async () => {
  const file = new URL("../../test/contract-corpus/findings.txt", import.meta.url).pathname;
  await expect(`${counted.map(linesOf).join("\n")}\n`).toMatchFileSnapshot(file);
});

it("are decided, and found by values alone, nearly always", () => {
  const truths = (wanted: string) =>
    counted.filter(({ row, direction }) => (row[`${direction}Here`] ?? row[direction]) === wanted);
  const compatible = truths("compatible");
  const incompatible = truths("incompatible");
  const undecided = compatible.filter(({ finding }) => finding.verdict !== "compatible");
  const notFound = incompatible.filter(({ finding }) => finding.trial.counterexample === undefined);
  const nameOf = ({ format, row, direction, finding }: Counted) =>
    `${format}, ${direction}: ${row.change}: ${finding.obstacles.map(({ text }) => text).join("; ")} ${finding.trial.note ?? finding.trial.tried}`;
  if (process.env.SHOW_CORPUS !== undefined)
    console.log(compatible.length, incompatible.length, undecided.map(nameOf), notFound.map(nameOf));
  expect(counted.length / 2).toBeGreaterThanOrEqual(200);
  expect(undecided.length / compatible.length).toBeLessThanOrEqual(0.1);
  expect(undecided.filter(({ finding }) => finding.obstacles.length === 0)).toEqual([]);
  expect(notFound.length / incompatible.length).toBeLessThanOrEqual(0.05);
});
