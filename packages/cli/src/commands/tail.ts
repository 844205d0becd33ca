import { parseDuration } from "../input/parse-duration.js";
import { parseCount } from "../input/parse-number.js";
import { brokerCommand } from "./common-options.js";
import { withFilters } from "./message-filters.js";
import type { WaybillCommand } from "./waybill-command.js";

/** `waybill tail`: shows messages as they arrive. */
export function tailCommand(): WaybillCommand {
  return withFilters(brokerCommand("tail"))
    .summary("show messages as they arrive")
    .description(
      "Follows a queue, a subscription or a dead-letter queue by peeking, until it is interrupted. A message that is received and completed between two " +
        "looks, half a second apart, is not seen. Changes nothing.",
    )
    .argument("<entity>", "orders, events/Subscriptions/billing, 'orders/$DeadLetterQueue'")
    .option("-n, --max <number>", "end after this many messages", parseCount)
    .option("--for <duration>", "end after this time: 30s, 10m", parseDuration)
    .option("--all", "begin with the oldest message; default: only those that arrive from now on")
    .option("--body", "show the bodies too")
    .examples(`
  waybill tail orders --for 2s
  waybill tail 'orders/$DeadLetterQueue' --all --for 2s --body
  waybill tail events/Subscriptions/billing --all --where subject=order-placed --max 1 --json

On a pipe each message is one line of JSON. In a partitioned entity, sequence numbers are those of the partitions: give --all to see everything.`)
    .runs(async () => (await import("../actions/tail.js")).tail);
}
