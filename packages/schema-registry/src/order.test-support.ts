import type { DeserializationOutcome, Pipeline } from "@waybill/core";
import type { RegisteredSchema, SchemaFraming, SchemaSource } from "./sources/schema-source.js";

/** The schema of the tests' orders. */
export const orderSchema = {
  type: "record",
  name: "Order",
  namespace: "shop",
  fields: [
    { name: "id", type: "string" },
    { name: "cents", type: "long" },
  ],
} as const;

export const order = { id: "A-1042", cents: 12_995 };

/** The order, written with its schema, without a framing. Source: Avro specification 1.12, Binary Encoding. */
export const orderPayload = Uint8Array.of(12, ...Buffer.from("A-1042"), 0x86, 0xcb, 0x01);

/** A registry in memory that counts its calls. */
export function memorySource(
  schemas: Readonly<Record<string, RegisteredSchema>>,
  framings: readonly SchemaFraming[],
): SchemaSource & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    name: "the test registry",
    framings,
    asked,
    async schemaById(id) {
      asked.push(id);
      return schemas[id];
    },
  };
}

export function bytes(hex: string, payload: Uint8Array = orderPayload): Uint8Array {
  return Uint8Array.from([...Buffer.from(hex.replaceAll(" ", ""), "hex"), ...payload]);
}

/** Reads a body; returns its value, or the reasons and texts of the attempts. */
export async function read(
  pipeline: Pipeline,
  message: Parameters<Pipeline["deserialize"]>[0],
): Promise<DeserializationOutcome> {
  return await pipeline.deserialize(message);
}
