import { createPipeline, defineMessage, type EncodedMessage, type Pipeline } from "@waybill/core";
import { ShadowCheck, WritePlan, withWritePlans } from "@waybill/migration/plan";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { type Comparison, comparison } from "./harness/comparison.js";
import type { Suite } from "./harness/probe.js";
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

/** The cost of moving from one format or version to another, with orders of 2 KB. */
export const migrationSuite: Suite = {
  upcasting: () => comparison(upcasting()),
  writing: () => writing().map(comparison),
};

function upcasting(): Comparison {
  const orderPlaced = defineMessage("order-placed", {
    version: 4,
    schemas: { 1: {}, 2: {}, 3: {}, 4: {} },
    upcasters: {
      1: (body) => toV2(body as object),
      2: (body) => toV3(body as object),
      3: (body) => toV4(body as object),
    },
  });
  const untyped = createPipeline({ serializer: json() });
  const typed = createPipeline({ serializer: json(), messageTypes: [orderPlaced] });
  const message = {
    ...(untyped.serialize({ body: order(2_000), subject: "order-placed" }) as EncodedMessage),
    applicationProperties: { messageVersion: 1 },
  };
  return {
    name: "upcasting three versions, over the same functions called by hand",
    baseline: () => {
      const outcome = untyped.deserialize(message);
      if (outcome instanceof Promise || outcome.status !== "decoded") throw new Error("It was not read.");
      return toV4(toV3(toV2(outcome.body as object)));
    },
    subject: () => typed.deserialize(message),
    unit: "time",
    target: 1.15,
  };
}

function writing(): Comparison[] {
  const orderPlaced = defineMessage("order-placed", { version: 1, schemas: { 1: { avro: orderSchema } } });
  const pipeline = createPipeline({
    serializer: json(),
    additionalDeserializers: [avro()],
    messageTypes: [orderPlaced],
  });
  const unread = createPipeline({
    serializer: json(),
    additionalDeserializers: [avro()],
    messageTypes: [orderPlaced],
    readBack: false,
  });
  const message = orderPlaced.message(order(2_000), { messageId: "order-4711", sessionId: "ada" });
  const plan = new WritePlan(orderPlaced, { from: { serializer: "json" }, to: { serializer: "avro" } });
  const planned = withWritePlans(pipeline, [plan]);
  const off = new ShadowCheck({ candidate: { serializer: "avro" }, sampleRate: 0 }).observe(pipeline);
  const tenth = new ShadowCheck({ candidate: { serializer: "avro" }, sampleRate: 0.1 }).observe(pipeline);
  const untyped = createPipeline({ serializer: json() });
  const over = (name: string, subject: Pipeline, target: number, baseline = pipeline): Comparison => ({
    name,
    baseline: () => baseline.serialize(message),
    subject: () => subject.serialize(message),
    unit: "time",
    target,
  });
  return [
    over("writing a typed message, over an untyped one", pipeline, 1.15, untyped),
    over("writing with the default sample read back, over none", pipeline, 1.03, unread),
    over("writing with a plan at 0 %", planned, 1.05),
    over("writing with a shadow check that is off", off, 1.05),
    over("writing with a shadow check of 10 %, JSON to Avro", tenth, 1.2),
  ];
}
