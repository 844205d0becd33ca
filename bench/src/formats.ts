import { isDeepStrictEqual } from "node:util";
import { createPipeline, type EncodedMessage } from "@waybill/core";
import { cbor } from "@waybill/serializer-cbor";
import { type DotnetContract, dotnetBinary } from "@waybill/serializer-dotnet";
import { decode, encode } from "cborg";
import { type Comparison, comparison } from "./harness/comparison.js";
import type { Suite } from "./harness/probe.js";
import { order } from "./payloads.js";

/** The formats other than JSON, Avro and MessagePack, against alternatives that a user would compare them with, at 2 KB. */
export const formatsSuite: Suite = {
  dotnet: async () => comparison(await dotnetAgainstJson()),
  cbor: async () => (await cborAgainstCborg()).map(comparison),
};

const callsToCompile = 10_000;
const namespace = "http://schemas.datacontract.org/2004/07/Shop";
const line: DotnetContract = {
  name: "Line",
  namespace,
  memberOrder: "as-listed",
  members: {
    sku: "string",
    title: "string",
    quantity: "int",
    unitPrice: "double",
    discount: "double",
  },
};
/** The class of the bench's orders, as DataContractSerializer writes it. */
const contract: DotnetContract = {
  name: "Order",
  namespace,
  memberOrder: "as-listed",
  members: {
    orderId: "string",
    customer: {
      name: "Customer",
      namespace,
      memberOrder: "as-listed",
      members: { id: "int", name: "string", vip: "boolean" },
    },
    currency: "string",
    placedAt: "string",
    lines: { arrayOf: line },
  },
};

/** An object of a contract, whose JSON text has 2 KB, against `JSON.parse` of that text. */
async function dotnetAgainstJson(): Promise<Comparison> {
  const value = order(2_000);
  const text = JSON.stringify(value);
  const message = (await createPipeline({ serializer: dotnetBinary({ contract }) }).serialize({
    body: value,
  })) as EncodedMessage;
  const pipeline = createPipeline({ serializer: dotnetBinary() });
  await requireEqual(await pipeline.deserialize(message), value);
  // `JSON.parse` is compiled already; on a busy machine a time limit would not guarantee that this is.
  for (let call = 0; call < callsToCompile; call++) await pipeline.deserialize(message);
  return {
    name: "dotnet 2 KB: deserialize a contract object, against JSON.parse of the same JSON",
    baseline: () => JSON.parse(text),
    subject: () => pipeline.deserialize(message),
    unit: "rate",
    target: 0.3,
  };
}

/** The pipeline with all its checks, against the codec that trusts its bytes. */
async function cborAgainstCborg(): Promise<Comparison[]> {
  const value = order(2_000);
  const pipeline = createPipeline({ serializer: cbor() });
  const message = (await pipeline.serialize({ body: value })) as EncodedMessage;
  const bytes = message.body as Uint8Array;
  await requireEqual(await pipeline.deserialize(message), value);
  return [
    {
      name: "cbor 2 KB: deserialize, against bare cborg",
      baseline: () => decode(bytes),
      subject: () => pipeline.deserialize(message),
      unit: "time",
      target: 1.15,
    },
    {
      name: "cbor 2 KB: serialize, against bare cborg",
      baseline: () => encode(value),
      // Values are checked and copied first, so that no getter or cycle reaches the codec.
      subject: () => pipeline.serialize({ body: value }),
      unit: "time",
      target: 1.5,
    },
  ];
}

/** Checks that a side does its work before it is timed. */
export async function requireEqual(
  outcome: { readonly status: string; readonly body?: unknown },
  value: unknown,
): Promise<void> {
  if (outcome.status === "decoded" && isDeepStrictEqual(outcome.body, value)) return;
  throw new Error(`The bench did not read what it wrote (${outcome.status}).`);
}
