import { createPipeline, type EncodedMessage, type Pipeline, type Serializer } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import avsc from "avsc";
import { pack, unpack } from "msgpackr";
import type { Comparison } from "./compare.js";
import { order, orderSchema } from "./payloads.js";

const context = {
  messageType: undefined,
  contentType: undefined,
  mediaType: undefined,
  applicationProperties: {},
  signal: undefined,
  maxDepth: 128,
};

/** The pipeline with all safety on, against the bare library call that trusts its bytes. */
export function pipelineComparisons(): Comparison[] {
  const type = avsc.Type.forSchema(orderSchema as never);
  const bare = {
    json: {
      serializer: json(),
      read: (bytes: Buffer) => JSON.parse(bytes.toString()),
      write: (value: unknown) => Buffer.from(JSON.stringify(value)),
      target: 0.8,
    },
    avro: {
      serializer: avro({ schema: orderSchema }),
      read: (bytes: Buffer) => type.fromBuffer(bytes),
      write: (value: unknown) => type.toBuffer(value),
      target: 0.85,
    },
    msgpack: {
      serializer: msgpack(),
      read: (bytes: Buffer) => unpack(bytes),
      write: (value: unknown) => pack(value),
      target: 0.65,
    },
  };
  const comparisons: Comparison[] = [];
  for (const bytes of [2_000, 20_000]) {
    const size = `${bytes / 1000} KB`;
    const value = order(bytes);
    for (const [name, { serializer, read, write, target }] of Object.entries(bare)) {
      const pipeline = createPipeline({ serializer });
      const message = pipeline.serialize({ body: value }) as EncodedMessage;
      const raw = Buffer.from(write(value));
      comparisons.push(
        {
          name: `${name} ${size}: deserialize, against the bare library`,
          baseline: () => read(raw),
          subject: () => pipeline.deserialize(message),
          unit: "rate",
          target,
        },
        {
          name: `${name} ${size}: serialize, against the bare library`,
          baseline: () => write(value),
          subject: () => pipeline.serialize({ body: value }),
          unit: "rate",
          target: 0.9,
        },
        overhead(`${name} ${size}: deserialize, pipeline over serializer`, pipeline, serializer, message),
      );
    }
  }
  comparisons.push(undeclared());
  return comparisons;
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
    target: 1.1,
  };
}

/** A body that nobody declared and that the third candidate reads. */
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
