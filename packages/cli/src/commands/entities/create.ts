import { Argument } from "commander";
import { brokerCommand, repeatable } from "../common-options.js";
import type { WaybillCommand } from "../waybill-command.js";

/** `waybill entities create`: creates an entity. */
export function createCommand(): WaybillCommand {
  return brokerCommand("create")
    .summary("create a queue, a topic or a subscription")
    .description("Creates an entity. An existing one is not changed.")
    .addArgument(new Argument("<kind>", "what it is").choices(["queue", "topic", "subscription"]))
    .argument("<path>", "orders, events, events/Subscriptions/billing")
    .option(
      "--set <name=value>",
      "a property, as in Config.json: LockDuration=PT30S; can be repeated",
      repeatable(String),
    )
    .option("--sql <expression>", "for a subscription: only messages for which this is true; default: all")
    .examples(`
  waybill entities create queue parcels --set LockDuration=PT30S --set RequiresSession=true
  waybill entities create topic prices
  waybill entities create subscription events/Subscriptions/large --sql 'total > 1000'`)
    .runs(async () => (await import("../../actions/entities/create.js")).create);
}
