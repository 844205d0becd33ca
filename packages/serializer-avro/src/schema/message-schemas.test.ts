import type { SerializerContext } from "@waybill/core/serializer";
import { describe, expect, it } from "vitest";
import { schemasBySelector } from "./message-schemas.js";
import type { AvroSchema } from "./normalize-schema.js";

const context: SerializerContext = {
  contentType: undefined,
  mediaType: undefined,
  messageType: "order",
  applicationProperties: {},
  abortSignal: undefined,
};

describe("schemasBySelector", () => {
  it("compiles a schema once that is created again for every message", () => {
    const field = { name: "paid", type: "boolean" };
    const order = () => ({ type: "record", name: "Order", fields: [{ ...field }] }) as const;
    for (const select of [
      order,
      () => ({ schema: order(), schemaId: 7, writerSchemas: [order()] }),
      () => JSON.stringify(order()) as AvroSchema,
    ]) {
      const schemas = schemasBySelector(select, settings);
      const first = schemas.find(context);
      expect(first?.reader.type.name).toBe("Order");
      for (let i = 0; i < 10; i++) expect(schemas.find(context)).toBe(first);
    }
  });

  it("does not confuse schemas of the same name", () => {
    let isPaid = true;
    const schemas = schemasBySelector(
      () => ({ type: "record", name: "Order", fields: isPaid ? [{ name: "paid", type: "boolean" }] : [] }),
      settings,
    );
    const paid = schemas.find(context);
    isPaid = false;
    expect(schemas.find(context)?.reader.fingerprint).not.toBe(paid?.reader.fingerprint);
  });
});

const settings = {
  longs: "auto",
  unions: "auto",
  rawLogicalTypes: new Set<never>(),
  isKnownByFingerprint: true,
} as const;
