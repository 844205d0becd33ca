import { join } from "node:path";
import { openReceiptFile, repairDeadLetters, surveyDeadLetters } from "@waybill/migration/repair";
import { warehouseWithBoth } from "../deployments.js";
import { type Fixture, orders } from "../fixture.js";
import { both } from "../pipelines.js";
import { say, showSurvey, showVerdict } from "../report.js";
import { retirementVerdicts } from "../retirement.js";

/** The warehouse reads both formats again, and the dead letters are sent again. */
export async function repair(fixture: Fixture): Promise<void> {
  const { transport, directory } = fixture;
  const warehouse = warehouseWithBoth(fixture);
  await warehouse.announce("host-1");
  // #region repair
  const from = { queue: orders };
  showSurvey(await surveyDeadLetters({ transport, pipeline: both, from }));

  const receipts = await openReceiptFile(join(directory, "repair.receipts"));
  const options = { transport, pipeline: both, from, receipts, maxWaitTimeInMs: 0 };
  const { resubmitted, skipped } = await repairDeadLetters(options);
  await receipts.close();
  say(`Repair: ${resubmitted} sent again, skipped ${JSON.stringify(skipped)}.`);
  // #endregion
  await warehouse.work(40);
  for (const verdict of await retirementVerdicts(fixture)) showVerdict(verdict);
}
