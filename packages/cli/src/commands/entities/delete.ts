import { brokerCommand } from "../common-options.js";
import type { WaybillCommand } from "../waybill-command.js";

/** `waybill entities delete`: deletes an entity. */
export function deleteCommand(): WaybillCommand {
  return brokerCommand("delete")
    .summary("delete an entity with its messages")
    .description(
      "Deletes a queue, a topic with its subscriptions, or a subscription, with all messages. Without --apply it only says how many that are.",
    )
    .argument("<path>", "orders, events, events/Subscriptions/billing")
    .option("--apply", "do it; without this nothing changes")
    .examples(`
  waybill entities delete parcels
  waybill entities delete parcels --apply

Without --apply, exits with 1 if it has messages.`)
    .runs(async () => (await import("../../actions/entities/delete.js")).deleteEntity);
}
