import { brokerCommand } from "../common-options.js";
import type { WaybillCommand } from "../waybill-command.js";

/** `waybill entities show`: shows the properties of an entity. */
export function showCommand(): WaybillCommand {
  return brokerCommand("show")
    .summary("show the properties of an entity")
    .description(
      "Shows an entity with its properties and rules, as JSON, as it would stand in a Config.json. Changes nothing.",
    )
    .argument("<path>", "orders, events, events/Subscriptions/billing")
    .examples(`
  waybill entities show orders
  waybill entities show events/Subscriptions/billing | jq .Rules`)
    .runs(async () => (await import("../../actions/entities/show.js")).show);
}
