// #region imports
import { createPipeline } from "@waybill/core";
import { cbor } from "@waybill/serializer-cbor";
// #endregion
import { expect, it } from "vitest";

it("README: writes and reads CBOR", async () => {
  // #region example
  const pipeline = createPipeline({ serializer: cbor() });

  const message = await pipeline.serialize({
    body: { id: 2n ** 60n, at: new Date(), photo: Uint8Array.of(255, 216) },
  });
  const outcome = await pipeline.deserialize(message);
  // #endregion
  expect(message.contentType).toBe("application/cbor");
  expect(outcome).toMatchObject({ status: "decoded", body: { id: 2n ** 60n } });
});
