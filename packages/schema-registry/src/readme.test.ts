// #region imports
import { createPipeline } from "@waybill/core";
import { azureSchemaRegistry, registryAvro } from "@waybill/schema-registry";
import { avro } from "@waybill/serializer-avro";
// #endregion
import { expect, it } from "vitest";

const orderSchema = {
  type: "record",
  name: "Order",
  namespace: "shop",
  fields: [{ name: "id", type: "string" }],
};
const definition = JSON.stringify(orderSchema);
const client = {
  getSchema: async () => ({ definition, properties: { format: "Avro" } }),
  getSchemaProperties: async () => ({ id: "0123456789abcdef0123456789abcdef" }),
  registerSchema: async () => ({ id: "0123456789abcdef0123456789abcdef" }),
};

it("README: writes and reads with a registry's schema", async () => {
  // #region example
  const source = azureSchemaRegistry(client, { groupName: "shop" });
  const pipeline = createPipeline({ serializer: registryAvro(avro, { source, schema: orderSchema }) });

  const message = await pipeline.serialize({ body: { id: "A-1042" } });
  const outcome = await pipeline.deserialize(message);
  // #endregion
  expect(message.contentType).toBe("avro/binary+0123456789abcdef0123456789abcdef");
  expect(outcome).toMatchObject({ status: "decoded", body: { id: "A-1042" } });
});
