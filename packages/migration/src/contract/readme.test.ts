import { createPipeline, defineMessage } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { expect, it, vi } from "vitest";
import { checkContract, contractOf, describeFinding, formatContract, parseContract } from "../contract.js";

it("is the example of docs/contracts.md", async () => {
  const log = vi.spyOn(console, "log").mockReturnValue();
  const chain = (required: readonly string[]) =>
    createPipeline({
      serializer: json(),
      messageTypes: [
        defineMessage("order-placed", { version: 1, schemas: { 1: { json: { type: "object", required } } } }),
      ],
    });
  const earlier = formatContract(contractOf(chain(["id"]), { service: "orders" }));
  const pipeline = chain(["id", "customer"]);
  // #region check
  const check = await checkContract({
    contract: contractOf(pipeline, { service: "orders" }),
    pipeline,
    baselines: [{ name: "main", contract: parseContract(earlier, "waybill.contract.json") }],
  });
  const broken = check.findings.filter(({ verdict }) => verdict === "incompatible");
  for (const finding of broken) console.log(describeFinding(finding).title);
  // #endregion
  expect(log.mock.calls.flat()).toEqual([
    'orders, as it is now, does not read "order-placed" version 1 in json as orders (main) wrote it',
  ]);
  log.mockRestore();
});
