import {
  createPipeline,
  defineMessage,
  type EncodedMessage,
  type Pipeline,
  type PipelineOptions,
} from "@waybill/core";
import { ShadowCheck, WritePlan, withWritePlans } from "@waybill/migration/plan";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import {
  type SidedComparison,
  type SidedComparisons,
  sideOpener,
  suiteTogether,
} from "./harness/comparison.js";
import type { Side } from "./harness/side.js";
import { type Order, order, orderSchema } from "./payloads.js";

type Step = (body: object) => object;

const toV2: Step = (body) => ({ ...body, channel: "web" });
const toV3: Step = (body) => {
  const { lines } = body as Order;
  return { ...body, lines: lines.map((line) => ({ ...line, cents: Math.round(line.unitPrice * 100) })) };
};
const toV4: Step = (body) => {
  const { customer } = body as Order;
  return { ...body, customer: { ...customer, id: String(customer.id) } };
};

type Extend = (pipeline: Pipeline) => Pipeline;

/** The cost of moving from one format or version to another, with orders of 2 KB. */
const comparisons: SidedComparisons = {
  upcasting: {
    name: "upcasting three versions, over the same functions called by hand",
    baseline: upcastByHand,
    subject: upcast,
    unit: "time",
    target: 1.15,
  },
  typed: {
    name: "writing a typed message, over an untyped one",
    baseline: () => writes(createPipeline({ serializer: json() })),
    subject: () => writes(openPipeline()),
    unit: "time",
    target: 1.15,
  },
  "read-back": {
    name: "writing with the default sample read back, over none",
    baseline: () => writes(openPipeline({ readBack: false })),
    subject: () => writes(openPipeline()),
    unit: "time",
    target: 1.03,
  },
  plan: over("writing with a plan at 0 %", 1.05, (pipeline) => {
    const plan = new WritePlan(orderPlaced, { from: { serializer: "json" }, to: { serializer: "avro" } });
    return withWritePlans(pipeline, [plan]);
  }),
  "shadow-off": over("writing with a shadow check that is off", 1.05, shadowed(0)),
  "shadow-tenth": {
    ...over("writing with a shadow check of 10 %, JSON to Avro", 1.2, shadowed(0.1)),
    shortfall: {
      mustHold: 1.25,
      reason:
        "of each tenth message, the JSON is read, Avro is written and read, and both values are compared",
    },
  },
};

/** Both sides in the same process. */
export const migrationSuite = suiteTogether(import.meta.url, comparisons);
/** Opens a side of a part, in its own process. @public */
export const openSide = sideOpener(comparisons);

const orderPlaced = defineMessage("order-placed", { version: 1, schemas: { 1: { avro: orderSchema } } });

const fourVersions = defineMessage("order-placed", {
  version: 4,
  schemas: { 1: {}, 2: {}, 3: {}, 4: {} },
  upcasters: {
    1: (body) => toV2(body as object),
    2: (body) => toV3(body as object),
    3: (body) => toV4(body as object),
  },
});

function upcast(): Side {
  const pipeline = createPipeline({ serializer: json(), messageTypes: [fourVersions] });
  const message = firstVersion();
  return { work: () => pipeline.deserialize(message) };
}

function upcastByHand(): Side {
  const pipeline = createPipeline({ serializer: json() });
  const message = firstVersion();
  return {
    work() {
      const outcome = pipeline.deserialize(message);
      if (outcome instanceof Promise || outcome.status !== "decoded") throw new Error("It was not read.");
      return toV4(toV3(toV2(outcome.body as object)));
    },
  };
}

function firstVersion(): EncodedMessage {
  const pipeline = createPipeline({ serializer: json() });
  const written = pipeline.serialize({ body: order(2_000), subject: "order-placed" }) as EncodedMessage;
  return { ...written, applicationProperties: { messageVersion: 1 } };
}

function over(name: string, target: number, extend: Extend): SidedComparison {
  return {
    name,
    baseline: () => writes(openPipeline()),
    subject: () => writes(extend(openPipeline())),
    unit: "time",
    target,
  };
}

function shadowed(sampleRate: number): Extend {
  return (pipeline) => new ShadowCheck({ candidate: { serializer: "avro" }, sampleRate }).observe(pipeline);
}

function openPipeline(options: Pick<PipelineOptions, "readBack"> = {}): Pipeline {
  return createPipeline({
    serializer: json(),
    additionalDeserializers: [avro()],
    messageTypes: [orderPlaced],
    ...options,
  });
}

function writes(pipeline: Pipeline): Side {
  const message = orderPlaced.message(order(2_000), { messageId: "order-4711", sessionId: "ada" });
  return { work: () => pipeline.serialize(message) };
}
