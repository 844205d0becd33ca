import type { SchemaDescription, SchemaRegistry } from "@azure/schema-registry";
import { azureSchemaRegistry, type SchemaSource } from "@waybill/schema-registry";
import { orderSchema } from "./order.js";

/** The id of the order's schema in each registry. */
export const schemaIds = { azure: "6f1c0a5e2b3d4f60718293a4b5c6d7e8", confluent: 7 } as const;

/** Azure Schema Registry with one schema: the interface of its official client, without a network. */
export function azureRegistry(): SchemaRegistry {
  const properties = {
    id: schemaIds.azure,
    format: "Avro",
    groupName: "shop",
    name: "shop.Order",
    version: 1,
  };
  return {
    registerSchema: async (_schema: SchemaDescription) => properties,
    getSchemaProperties: async (_schema: SchemaDescription) => properties,
    async getSchema(id) {
      if (id === schemaIds.azure) return { definition: orderSchema, properties };
      throw Object.assign(new Error("There is no such schema."), { statusCode: 404, code: "ItemNotFound" });
    },
  };
}

/** Both registries as one source: Azure's ids are in the content type, Confluent's are numbers before the payload. */
export function bothRegistries(): SchemaSource {
  const azure = azureSchemaRegistry(azureRegistry());
  return {
    name: "the registries",
    framings: ["azure", "confluent"],
    schemaById(id, signal) {
      if (!/^\d{1,10}$/.test(id)) return azure.schemaById(id, signal);
      return id === String(schemaIds.confluent) ? { definition: orderSchema, format: "avro" } : undefined;
    },
  };
}
