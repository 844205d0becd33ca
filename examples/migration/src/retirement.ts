import { type RetirementVerdict, retirementVerdict } from "@waybill/migration/census";
import type { Fixture } from "./fixture.js";
import { both } from "./pipelines.js";

// #region verdict
/** Whether JSON and version 1 can be removed from the chain, by the census, the reads and what the owners state. */
export async function retirementVerdicts(
  fixture: Fixture,
  writersStoppedAt?: Date,
): Promise<RetirementVerdict[]> {
  const earlier = fixture.earlierCensuses();
  const census = await fixture.takeCensus(both);
  // What the warehouse has read: a census does not see what is drained at once.
  const reads = await fixture.reads.list();
  const evidence = { writersStoppedAt, earlier, reads, readers: ["warehouse"] };
  return [{ serializer: "json" }, { messageType: "order-placed", version: 1 }].map((target) =>
    retirementVerdict(target, census, evidence),
  );
}
// #endregion
