import { createPipeline, type EncodedMessage } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { comparisonApart, comparisonTogether } from "./harness/comparison.js";
import type { Line, Probe, Suite } from "./harness/probe.js";
import type { OpenSide, Side } from "./harness/side.js";
import { order, orderSchema } from "./payloads.js";

const context = {
  messageType: undefined,
  contentType: undefined,
  mediaType: undefined,
  applicationProperties: {},
  abortSignal: undefined,
  maxDepth: 128,
};

/**
 * The young generation has its full size from the start. It would grow between these samples of 20 ms, in some processes earlier than in others,
 * and a sample takes a third longer when pages are touched for the first time.
 */
const flags = ["--min-semi-space-size=16", "--max-semi-space-size=16"];

/** Comparisons with a bare library are measured in separate processes. */
export const pipelineSuite: Suite = {
  bare: bareProbes,
  overhead: overheadProbes,
  chain: chainProbe,
};

/** Writes or reads one message, in its own process. @public */
export const openSide: OpenSide = (operation, format, bytes, side) => {
  if (operation === "chain") return openChain(side);
  const { serializer, pipeline, value, message } = openCell(format as Format, Number(bytes));
  if (operation === "serialize") return { work: () => pipeline.serialize({ body: value }) };
  if (operation === "overhead" && side === "baseline") {
    const declared = { ...context, isDeclared: true };
    return { work: () => serializer.deserialize(message.body as Uint8Array, declared) };
  }
  return { work: () => pipeline.deserialize(message) };
};

type Format = "json" | "avro" | "msgpack";

/** The pipeline with all checks, against a call of the bare library, which trusts its bytes. */
function bareProbes(): Probe[] {
  return cells.flatMap(({ name, format, bytes }) =>
    (["deserialize", "serialize"] as const).map((operation) =>
      comparisonApart({
        name: `${name}: ${operation}, against the bare library`,
        unit: "rate",
        ...bareTargets[operation][format],
        baseline: new URL("./bare.js", import.meta.url),
        subject: new URL(import.meta.url),
        args: [operation, format, String(bytes)],
        flags,
      }),
    ),
  );
}

/** What all checks may cost, above all with bodies of 2 KB. */
const bareTargets: Readonly<
  Record<"deserialize" | "serialize", Record<Format, Pick<Line, "target" | "shortfall">>>
> = {
  deserialize: {
    json: {
      target: 0.95,
      shortfall: {
        mustHold: 0.85,
        reason: "one walk over the value finds depth, forbidden keys and numbers that were rounded",
      },
    },
    avro: {
      target: 1.1,
      shortfall: {
        mustHold: 0.95,
        reason:
          "in some runs reading 20 KB takes twice as long as in others, and avsc's reading a third longer; why is not known",
      },
    },
    msgpack: {
      target: 0.85,
      shortfall: {
        mustHold: 0.75,
        reason: "the bytes are checked before msgpackr sees them, which trusts them",
      },
    },
  },
  serialize: {
    json: {
      target: 1,
      shortfall: {
        mustHold: 0.9,
        reason: "one walk over the value finds what `JSON.stringify` loses or changes",
      },
    },
    avro: {
      target: 1,
      shortfall: {
        mustHold: 0.9,
        reason: "a value is checked before avsc writes it",
      },
    },
    msgpack: {
      target: 0.95,
      shortfall: {
        mustHold: 0.9,
        reason: "one walk over the value finds what msgpackr loses or changes",
      },
    },
  },
};

/** What the pipeline adds to its serializers. */
function overheadProbes(): Probe[] {
  return cells.map(({ name, format, bytes }) =>
    comparisonTogether({
      name: `${name}: deserialize, pipeline over serializer`,
      unit: "time",
      target: 1.06,
      shortfall: {
        mustHold: 1.08,
        reason: "a message has a context, a report and an outcome",
      },
      module: new URL(import.meta.url),
      args: ["overhead", format, String(bytes)],
      flags,
    }),
  );
}

/** An undeclared body that the third candidate reads. */
function chainProbe(): Probe {
  return comparisonTogether({
    name: "msgpack 20 KB: third of the chain without a content type, over declared",
    unit: "time",
    target: 1.15,
    module: new URL(import.meta.url),
    args: ["chain", "msgpack", "20000"],
    flags,
  });
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

function openChain(side: string | undefined): Side {
  const pipeline = createPipeline({
    serializer: json(),
    additionalDeserializers: [avro({ schema: orderSchema }), msgpack()],
  });
  const declared = pipeline.serialize({
    body: order(20_000),
    contentType: "application/vnd.msgpack",
  }) as EncodedMessage;
  const { contentType: _, ...unlabelled } = declared;
  const message = side === "baseline" ? declared : unlabelled;
  return { work: () => pipeline.deserialize(message) };
}
