import { brokerCommand, withListTimeout } from "../common-options.js";
import type { WaybillCommand } from "../waybill-command.js";

/** `waybill entities list`: lists entities with their counts. */
export function listCommand(): WaybillCommand {
  return withListTimeout(brokerCommand("list"))
    .summary("list entities with their counts")
    .description(
      "Lists queues, topics and subscriptions with the number of messages in each state. Changes nothing.",
    )
    .argument("[text]", "only entities with this in their path, in any letter case")
    .option("--dead-letters", "only entities that have dead letters")
    .examples(`
  waybill entities list
  waybill entities list billing
  waybill entities list --dead-letters --json | jq -r .path`)
    .runs(async () => (await import("../../actions/entities/list.js")).list);
}
