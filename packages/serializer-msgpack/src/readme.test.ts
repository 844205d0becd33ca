// #region imports
import { createPipeline } from "@waybill/core";
import { msgpack } from "@waybill/serializer-msgpack";
// #endregion
import { expect, it } from "vitest";

it("runs the example of the README", async () => {
  // #region example
  const pipeline = createPipeline({ serializer: msgpack() });

  const message = await pipeline.serialize({
    body: { id: 2n ** 60n, at: new Date(), photo: Uint8Array.of(255, 216) },
  });
  const outcome = await pipeline.deserialize(message);
  // #endregion
  expect(outcome).toMatchObject({ status: "decoded", body: { id: 2n ** 60n, at: expect.any(Date) } });
});
