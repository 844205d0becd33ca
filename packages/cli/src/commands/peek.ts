import { parseCount, parseSequenceNumber } from "../input/parse-number.js";
import { brokerCommand } from "./common-options.js";
import { withFilters } from "./message-filters.js";
import type { WaybillCommand } from "./waybill-command.js";

/** `waybill peek`: shows messages without locking them. */
export function peekCommand(): WaybillCommand {
  return withFilters(brokerCommand("peek"))
    .summary("show messages without locking them")
    .description(
      "Shows the active, deferred and scheduled messages of a queue, a subscription or a dead-letter queue. With filters it looks through all of them " +
        "until it has found enough. Changes nothing.",
    )
    .argument("<entity>", "orders, events/Subscriptions/billing, 'orders/$DeadLetterQueue'")
    .option("-n, --max <number>", "how many messages", parseCount, 10)
    .option("--from <sequence-number>", "where to begin; default: the oldest", parseSequenceNumber)
    .option("--body", "show the bodies too")
    .examples(`
  waybill peek orders
  waybill peek 'orders/$DeadLetterQueue' --max 100 --body
  waybill peek orders --where subject=order-placed --where tenant=7 --path '$.customer.id=42'
  waybill peek 'orders/$DeadLetterQueue' --reason DeserializationFailed --max 50
  waybill peek events/Subscriptions/billing --json | jq -r .messageId

On a pipe each message is one line of JSON. Exits with 1 when one of them cannot be deserialized.`)
    .runs(async () => (await import("../actions/peek.js")).peek);
}
