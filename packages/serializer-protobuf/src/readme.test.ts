// #region imports
import { create, createRegistry } from "@bufbuild/protobuf";
import { createPipeline } from "@waybill/core";
import { protobuf } from "@waybill/serializer-protobuf";
// #endregion
import { expect, it } from "vitest";
import { OrderSchema } from "./readme.test-support.js";

it("README: writes and reads Protobuf", async () => {
  // #region example
  const pipeline = createPipeline({ serializer: protobuf({ registry: createRegistry(OrderSchema) }) });

  const message = await pipeline.serialize({ body: create(OrderSchema, { value: 2n ** 60n }) });
  const outcome = await pipeline.deserialize(message);
  // #endregion
  expect(message.contentType).toBe("application/protobuf; proto=google.protobuf.Int64Value");
  expect(outcome).toMatchObject({ status: "decoded", body: { value: 2n ** 60n } });
});
