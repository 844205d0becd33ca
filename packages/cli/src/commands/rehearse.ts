import { parseCount } from "../input/parse-number.js";
import { brokerCommand } from "./common-options.js";
import type { WaybillCommand } from "./waybill-command.js";

/** `waybill rehearse`: shows how a consumer with this chain would read the waiting messages. */
export function rehearseCommand(): WaybillCommand {
  return brokerCommand("rehearse")
    .summary("show how a consumer with this chain would read the waiting messages")
    .description(
      "Reads the oldest messages of a queue, a subscription or a dead-letter queue as a consumer would, and shows by content type, reader, outcome " +
        "and reason what would happen to them, with the option that would read the rest. Peeks without locking and changes nothing.",
    )
    .argument("<entity>", "orders, events/Subscriptions/billing, 'orders/$DeadLetterQueue'")
    .option("-n, --max <number>", "how many messages", parseCount, 100)
    .option("--session-id <id>", "only messages of this session")
    .examples(`
  waybill rehearse orders
  waybill rehearse events/Subscriptions/billing --max 1000
  waybill rehearse 'orders/$DeadLetterQueue' --json | jq .advice

Exits with 1 when one of them would be dead-lettered, or cannot be read for now.`)
    .runs(async () => (await import("../actions/rehearse.js")).rehearse);
}
