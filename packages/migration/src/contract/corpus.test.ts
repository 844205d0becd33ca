import { inspect } from "node:util";
import { createPipeline, defineMessage, type Pipeline } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { protobuf } from "@waybill/serializer-protobuf";
import { describe, expect, it } from "vitest";
import { type ContractFinding, checkContract, contractOf } from "../contract.js";
import { avroSchemaOf, type CorpusRow, corpus, protobufOf } from "./corpus.test-support.js";

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

async function findings(
  format: string,
  row: CorpusRow,
): Promise<Record<"backward" | "forward", ContractFinding>> {
  const make = chains[format]!;
  const all = [row.old, row.new];
  const [old, now] = [make(row.old, "old", all), make(row.new, "new", all)];
  const { findings } = await checkContract({
    contract: contractOf(now, { service: "now" }),
    pipeline: now,
    baselines: [{ name: "before", contract: contractOf(old, { service: "before" }) }],
  });
  const of = (direction: string) => findings.find((finding) => finding.direction === direction)!;
  return { backward: of("backward"), forward: of("forward") };
}

interface Counted {
  readonly row: CorpusRow;
  readonly format: string;
  readonly direction: "backward" | "forward";
  readonly finding: ContractFinding;
}

const counted: Counted[] = [];

describe.each(Object.keys(chains))("the changes of %s", (format) => {
  it.each(corpus(format).map((row) => [row.change, row] as const))("%s", async (_, row) => {
    const found = await findings(format, row);
    for (const direction of ["backward", "forward"] as const) {
      const finding = found[direction];
      counted.push({ row, format, direction, finding });
      const truth = row[direction];
      const here = row[`${direction}Here`] ?? truth;
      const seen = {
        direction,
        verdict: finding.verdict,
        obstacles: finding.obstacles,
        trial: finding.trial,
      };
      if (truth === "incompatible" || here === "incompatible")
        expect(seen).not.toMatchObject({ verdict: "compatible" });
      else expect(seen).not.toMatchObject({ verdict: "incompatible" });
    }
  });
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
  expect(counted.length / 2).toBeGreaterThanOrEqual(120);
  expect(undecided.length / compatible.length).toBeLessThanOrEqual(0.1);
  expect(undecided.filter(({ finding }) => finding.obstacles.length === 0)).toEqual([]);
  expect(notFound.length / incompatible.length).toBeLessThanOrEqual(0.05);
});
