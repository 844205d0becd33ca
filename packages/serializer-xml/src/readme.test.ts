// #region imports
import { createPipeline } from "@waybill/core";
import { xml } from "@waybill/serializer-xml";
// #endregion
import { expect, it } from "vitest";

it("README: writes and reads XML", async () => {
  // #region example
  const pipeline = createPipeline({ serializer: xml() });

  const message = await pipeline.serialize({ body: { Order: { "@id": "A-1042", Line: ["lamp", "bulb"] } } });
  const outcome = await pipeline.deserialize(message);
  // #endregion
  expect(outcome).toMatchObject({
    body: {
      text: '<Order id="A-1042"><Line>lamp</Line><Line>bulb</Line></Order>',
      parsed: { Order: { "@id": "A-1042", Line: ["lamp", "bulb"] } },
    },
  });
});
