// #region imports
import { createPipeline } from "@waybill/core";
import { json } from "@waybill/serializer-json";
// #endregion
import { expect, it } from "vitest";

it("runs the example of the README", async () => {
  // #region example
  const placed = {
    type: "object",
    properties: { id: { type: "string" }, quantity: { type: "integer", minimum: 1 } },
    required: ["id", "quantity"],
  };
  const pipeline = createPipeline({ serializer: json({ schemas: { "order.placed": placed } }) });

  const message = await pipeline.serialize({ subject: "order.placed", body: { id: "A-1042", quantity: 2 } });
  const outcome = await pipeline.deserialize(message);
  // #endregion
  expect(outcome).toMatchObject({ status: "decoded", body: { id: "A-1042", quantity: 2 } });
});
