import { type RetirementVerdict, retirementVerdict } from "@waybill/migration";
import { both } from "./pipelines.js";
import { capabilities, type World } from "./world.js";

// #region verdict
/** Whether JSON and version 1 can be taken out of the chain, for all that can be seen and that we were told. */
export async function retirementVerdicts(
  world: World,
  writersStoppedAt?: Date,
): Promise<RetirementVerdict[]> {
  const earlier = world.earlierCensuses();
  const census = await world.takeCensus(both);
  // The beacons are JSON as well, and no consumer of orders receives them.
  const evidence = { writersStoppedAt, earlier, unrelated: [capabilities] };
  return [{ serializer: "json" }, { messageType: "order-placed", version: 1 }].map((target) =>
    retirementVerdict(target, census, evidence),
  );
}
// #endregion
