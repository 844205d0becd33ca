import { parseCount, parseShare } from "../input/parse-number.js";
import { brokerCommand, withConnections, withEntities, withSharing } from "./common-options.js";
import type { WaybillCommand } from "./waybill-command.js";

/** `waybill census`: counts the waiting messages by what would read them. */
export function censusCommand(): WaybillCommand {
  return withSharing(withEntities(withConnections(brokerCommand("census"))))
    .summary("count the waiting messages, by what would read them")
    .description(
      "Counts the active, scheduled and deferred messages of every queue, subscription and dead-letter queue, by content type, message type, " +
        "version, the serializer that would read them and where they probably come from. Peeks without locking and changes nothing.",
    )
    .option(
      "--sample <share>",
      "the share of the messages to read, from 0 to 1; the others are only counted",
      parseShare,
    )
    .option("--limit <number>", "maximum number of messages to peek in one place", parseCount)
    .examples(`
  waybill census
  waybill census --entity orders --entity events/Subscriptions/billing
  waybill census --json > census-$(date +%F).json      to hand to: waybill verdict --earlier
  waybill census --connection shop=SHOP_CONNECTION --connection billing=billing.servicebus.windows.net
  waybill census --work-queue jobs                     together with every: waybill worker --work-queue jobs

Exits with 1 when a message cannot be deserialized, or a place could not be peeked.`)
    .runs(async () => (await import("../actions/census.js")).census);
}
