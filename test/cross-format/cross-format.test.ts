import { readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { createPipeline, type DeserializationOutcome, type Pipeline, type Serializer } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, expect, it } from "vitest";
import { type Body, corpus, orderSchema } from "./corpus.js";

const families = corpus();
const formats = { json: json(), avro: avro({ schema: orderSchema }), msgpack: msgpack() };
const chains = permutations(Object.values(formats));

describe.each(chains.map((chain) => [chain.map(({ name }) => name).join(" → "), chain] as const))(
  "%s",
  (_, chain) => {
    const pipeline = toPipeline(chain);

    it.each(families)(
      "reads its own among unlabelled bodies, and takes nothing else for a value: $format",
      ({ bodies }) => {
        expect(misread(pipeline, bodies, undefined)).toEqual([]);
      },
    );

    it.each(["application/xml", "text/plain; charset=utf-8", "application/octet-stream", "nonsense"])(
      "is not led astray by the content type %s",
      (contentType) => {
        expect(families.flatMap(({ bodies }) => misread(pipeline, bodies, contentType))).toEqual([]);
      },
    );
  },
);

it("generates the tables of docs/deserialization.md", () => {
  const page = new URL("../../docs/deserialization.md", import.meta.url);
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

function table(): string {
  const pipeline = toPipeline(Object.values(formats));
  const labels = [undefined, ...Object.values(formats).map(({ mediaTypes }) => mediaTypes[0])];
  const rows = families.map(({ format, bodies }) => {
    const cells = labels.map((label) => cell(pipeline, bodies, label));
    return `| ${format} | ${bodies.length} | ${cells.join(" | ")} |`;
  });
  const header = [
    "the bytes are",
    "bodies",
    "no content type",
    ...labels.slice(1).map((label) => `\`${label}\``),
  ];
  return [`| ${header.join(" | ")} |`, `|${" --- |".repeat(header.length)}`, ...rows, ""].join("\n");
}

/** What the chain makes of the bodies under one label: how many it read right, and how many it took for something they are not. */
function cell(pipeline: Pipeline, bodies: readonly Body[], contentType: string | undefined): string {
  let right = 0;
  let other = 0;
  for (const body of bodies) {
    const outcome = read(pipeline, body, contentType);
    if (outcome.status !== "decoded") continue;
    if (isRight(outcome, body)) right++;
    else other++;
  }
  const parts = [right > 0 ? `${right} read` : "", other > 0 ? `${other} accepted` : ""].filter(
    (part) => part !== "",
  );
  return parts.length === 0 ? "refused" : parts.join(", ");
}

/** The bodies, in hex, of which a label that names no format of the chain makes anything but what they are. */
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
