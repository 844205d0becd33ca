import type { InterruptedRepair } from "@waybill/migration/repair";
import { describePlan } from "@waybill/migration/tools";
import { printable } from "./printable.js";

/** What an interrupted repair was started to do, in one line. */
export function planText({ plan, startedAt }: Pick<InterruptedRepair, "plan" | "startedAt">): string {
  const [what, ...how] = describePlan(plan);
  return printable([what, `begun at ${startedAt.toISOString()}`, ...how].join(", "));
}
