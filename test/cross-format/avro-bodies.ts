import avsc from "avsc";
import { copied, type Family, meaning, plain, truncated } from "./family.js";
import type { SampleOrder } from "./sample-values.js";

/** The schema of the chain's Avro serializer. */
export const orderSchema = {
  type: "record",
  name: "Order",
  namespace: "shop",
  fields: [
    { name: "id", type: "string" },
    { name: "quantity", type: "int" },
    { name: "note", type: ["null", "string"], default: null },
  ],
} as const;

const inferredTypes = new Map<unknown, avsc.Type>();

/** Bodies of Avro, in all framings. */
export function avroFamilies({
  values,
  scalars,
  orders,
  jsonBodies,
}: {
  readonly values: readonly unknown[];
  readonly scalars: readonly unknown[];
  readonly orders: readonly SampleOrder[];
  readonly jsonBodies: readonly Buffer[];
}): Family[] {
  const orderType = avsc.Type.forSchema(orderSchema as never);
  return [
    {
      format: "Avro single-object, known schema",
      bodies: orders.map((value) => meaning("avro", singleObject(orderType, value), value)),
    },
    {
      format: "Avro single-object, unknown schema",
      bodies: plain(values.flatMap((value) => inferredAvro(value, (type) => singleObject(type, value)))),
    },
    {
      format: "Avro single-object, truncated",
      bodies: plain(truncated(orders.map((value) => singleObject(orderType, value)))),
    },
    {
      format: "Avro raw, known schema",
      bodies: plain(orders.map((value) => copied(orderType.toBuffer(value)))),
    },
    {
      format: "Avro raw, other schemas",
      bodies: plain(
        [...values, ...scalars].flatMap((value) => inferredAvro(value, (type) => type.toBuffer(value))),
      ),
    },
    {
      format: "Avro raw string that contains JSON",
      bodies: plain(
        jsonBodies.map((bytes) => copied(avsc.Type.forSchema("string").toBuffer(bytes.toString()))),
      ),
    },
    {
      format: "Avro with Confluent header",
      bodies: plain(
        orders.map((value) => Buffer.concat([Buffer.from([0, 0, 0, 0, 7]), orderType.toBuffer(value)])),
      ),
    },
  ];
}

/** The value's bytes with a schema inferred from it; none for values whose keys are not Avro names. */
function inferredAvro(value: unknown, encode: (type: avsc.Type) => Uint8Array): Uint8Array[] {
  try {
    const type = inferredTypes.get(value) ?? avsc.Type.forValue(value as object);
    inferredTypes.set(value, type);
    return [copied(encode(type))];
  } catch {
    return [];
  }
}

function singleObject(type: avsc.Type, value: unknown): Uint8Array {
  return Buffer.concat([Buffer.from([0xc3, 0x01]), fingerprint(type), type.toBuffer(value)]);
}

/** The fingerprint of nothing, which is also the polynomial. */
const empty = 0xc15d213aa4d7a795n;

const remainders = Array.from({ length: 256 }, (_, byte) => {
  let hash = BigInt(byte);
  for (let bit = 0; bit < 8; bit++) hash = (hash >> 1n) ^ (hash & 1n ? empty : 0n);
  return hash;
});

/** CRC-64-AVRO of the canonical form, little-endian, implemented independently of the serializer. Source: Avro 1.12, Schema Fingerprints. */
function fingerprint(type: avsc.Type): Uint8Array {
  let hash = empty;
  for (const byte of Buffer.from(JSON.stringify(type.schema())))
    hash = (hash >> 8n) ^ (remainders[Number(hash & 0xffn) ^ byte] ?? 0n);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(hash);
  return bytes;
}
