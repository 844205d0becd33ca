// #region imports
import { createPipeline } from "@waybill/core";
import { dotnetBinary } from "@waybill/serializer-dotnet";
import { json } from "@waybill/serializer-json";
// #endregion
import { expect, it } from "vitest";
import { readBytes } from "./fixtures.test-support.js";

it("README: reads bodies of old .NET senders, and JSON", async () => {
  const bytes = readBytes("legacy/string-json.bin");
  // #region example
  const pipeline = createPipeline({
    serializer: json(),
    additionalDeserializers: [dotnetBinary({ json: true })],
  });

  const outcome = await pipeline.deserialize({ body: bytes });
  // #endregion
  expect(outcome).toMatchObject({ status: "decoded", report: { serializer: "dotnet-binary" } });
});

it("README: hints declare types that the bytes do not show", () => {
  // #region hints
  const orders = dotnetBinary({ hints: { OrderId: "string", Lines: "array", "Lines.Sku": "string" } });
  // #endregion
  expect(orders.name).toBe("dotnet-binary");
});
