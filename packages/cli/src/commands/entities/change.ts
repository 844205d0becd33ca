import { brokerCommand, repeatable } from "../common-options.js";
import type { WaybillCommand } from "../waybill-command.js";

/** `waybill entities change`: changes properties of an entity. */
export function changeCommand(): WaybillCommand {
  return brokerCommand("change")
    .summary("change properties of an entity")
    .description(
      "Changes the properties that are given; the others stay. Service Bus refuses to change some, such as RequiresSession.",
    )
    .argument("<path>", "orders, events, events/Subscriptions/billing")
    .requiredOption(
      "--set <name=value>",
      "a property, as in Config.json: MaxDeliveryCount=20; without a value it is removed: ForwardTo=; can be repeated",
      repeatable(String),
    )
    .examples(`
  waybill entities change orders --set MaxDeliveryCount=20 --set LockDuration=PT1M`)
    .runs(async () => (await import("../../actions/entities/change.js")).change);
}
