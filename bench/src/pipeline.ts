import { createPipeline, type EncodedMessage, type Pipeline, type Serializer } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { type Comparison, comparison, comparisonApart } from "./harness/comparison.js";
import type { Probe, Suite } from "./harness/probe.js";
import type { OpenSide } from "./harness/side.js";
import { order, orderSchema } from "./payloads.js";

const context = {
  messageType: undefined,
  contentType: undefined,
  mediaType: undefined,
  applicationProperties: {},
  abortSignal: undefined,
  maxDepth: 128,
};

/** Comparisons with a bare library are measured in separate processes. */
export const pipelineSuite: Suite = {
  bare: bareProbes,
  overhead: () => overheadComparisons().map(comparison),
};

/** Writes or reads one message with a pipeline, in its own process. @public */
export const openSide: OpenSide = (operation, format, bytes) => {
  const { pipeline, value, message } = openCell(format as Format, Number(bytes));
  if (operation === "serialize") return { work: () => pipeline.serialize({ body: value }) };
  return { work: () => pipeline.deserialize(message) };
};

type Format = "json" | "avro" | "msgpack";

/** The pipeline with all checks, against a call of the bare library, which trusts its bytes. */
function bareProbes(): Probe[] {
  const readTargets = { json: 0.85, avro: 0.95, msgpack: 0.75 };
  return cells.flatMap(({ name, format, bytes }) =>
    (["deserialize", "serialize"] as const).map((operation) =>
      comparisonApart({
        name: `${name}: ${operation}, against the bare library`,
        unit: "rate",
        target: operation === "serialize" ? 0.9 : readTargets[format],
        baseline: new URL("./bare.js", import.meta.url),
        subject: new URL(import.meta.url),
        args: [operation, format, String(bytes)],
      }),
    ),
  );
}

/** What the pipeline adds to its serializers. */
function overheadComparisons(): Comparison[] {
  return [
    ...cells.map((cell) => {
      const { pipeline, serializer, message } = openCell(cell.format, cell.bytes);
      return overhead(`${cell.name}: deserialize, pipeline over serializer`, pipeline, serializer, message);
    }),
    undeclared(),
  ];
}

/** Each format at each size. */
const cells = [2_000, 20_000].flatMap((bytes) =>
  (["json", "avro", "msgpack"] as const).map((format) => {
    return { name: `${format} ${bytes / 1000} KB`, format, bytes };
  }),
);

/** A pipeline of one format, and a message that it wrote. */
function openCell(format: Format, bytes: number) {
  const serializer = { json, avro: () => avro({ schema: orderSchema }), msgpack }[format]();
  const pipeline = createPipeline({ serializer });
  const value = order(bytes);
  const message = pipeline.serialize({ body: value }) as EncodedMessage;
  return { serializer, pipeline, value, message };
}

function overhead(
  name: string,
  pipeline: Pipeline,
  serializer: Serializer,
  message: EncodedMessage,
): Comparison {
  const declared = { ...context, isDeclared: true };
  const bytes = message.body as Uint8Array;
  return {
    name,
    baseline: () => serializer.deserialize(bytes, declared),
    subject: () => pipeline.deserialize(message),
    unit: "time",
    target: 1.08,
  };
}

/** An undeclared body that the third candidate reads. */
function undeclared(): Comparison {
  const pipeline = createPipeline({
    serializer: json(),
    additionalDeserializers: [avro({ schema: orderSchema }), msgpack()],
  });
  const declared = pipeline.serialize({
    body: order(20_000),
    contentType: "application/vnd.msgpack",
  }) as EncodedMessage;
  const { contentType: _, ...unlabelled } = declared;
  return {
    name: "msgpack 20 KB: third of the chain without a content type, over declared",
    baseline: () => pipeline.deserialize(declared),
    subject: () => pipeline.deserialize(unlabelled),
    unit: "time",
    target: 1.15,
  };
}
