import { type RetirementVerdict, retirementVerdict } from "@waybill/migration";
import { capabilities, type Fixture } from "./fixture.js";
import { both } from "./pipelines.js";

// #region verdict
/** Whether JSON and version 1 can be removed from the chain, by the census and by what the owners state. */
export async function retirementVerdicts(
  fixture: Fixture,
  writersStoppedAt?: Date,
): Promise<RetirementVerdict[]> {
  const earlier = fixture.earlierCensuses();
  const census = await fixture.takeCensus(both);
  // The beacons are JSON as well, and no consumer of orders receives them.
  const evidence = { writersStoppedAt, earlier, unrelated: [capabilities] };
  return [{ serializer: "json" }, { messageType: "order-placed", version: 1 }].map((target) =>
    retirementVerdict(target, census, evidence),
  );
}
// #endregion
