import { Option } from "commander";
import { parseDuration } from "../input/parse-duration.js";
import { parseCount, parseSequenceNumbers } from "../input/parse-number.js";
import { brokerCommand } from "./common-options.js";
import { withContentFilters } from "./message-filters.js";
import type { WaybillCommand } from "./waybill-command.js";

/** `waybill receive`: receives messages and settles them. */
export function receiveCommand(): WaybillCommand {
  return withContentFilters(brokerCommand("receive"))
    .summary("receive messages and settle them")
    .description(
      "Receives messages from a queue, a subscription or a dead-letter queue, writes them and then settles them as --settle says. It looks " +
        "at them by peeking first, and stops before one that would stay: one that cannot be deserialized, or that a filter leaves out. So no such message " +
        "loses a delivery; it may be one only if it is behind messages that another receiver has locked, which peeking does not tell.",
    )
    .argument("<entity>", "orders, events/Subscriptions/billing, 'orders/$DeadLetterQueue'")
    .addOption(
      new Option("--settle <how>", "how to settle the messages; to only show them, use: waybill peek")
        .choices(["complete", "abandon", "defer", "dead-letter"])
        .makeOptionMandatory(),
    )
    .option("-n, --max <number>", "how many messages", parseCount, 1)
    .addOption(
      new Option("-w, --wait <duration>", "how long to wait for the next ones")
        .argParser(parseDuration)
        .default(2_000, "2s"),
    )
    .addOption(
      new Option(
        "--deferred [numbers]",
        "receive deferred messages instead: those with these sequence numbers, as in 12,13, or the oldest",
      )
        .argParser(parseSequenceNumbers)
        .conflicts("nextSession"),
    )
    .option("--session-id <id>", "the session to receive from")
    .option("--next-session", "receive from the next session that has messages")
    .option("--include-undeserializable", "also settle what cannot be deserialized")
    .option(
      "--use-deliveries",
      "go on behind messages that stay: it receives them, too, which uses one delivery of each, and says before how many",
    )
    .option("--body", "write the bodies too")
    .examples(`
  waybill receive orders --settle complete --body
  waybill receive orders --settle dead-letter --max 5
  waybill receive orders --settle complete --deferred --max 10
  waybill receive orders --settle complete --where tenant=7 --use-deliveries --max 50
  waybill receive billing --settle complete --next-session --max 100 --json >> taken.jsonl

On a pipe each message is one line of JSON. Exits with 1 when one of them cannot be deserialized, and when it stops before a message that would stay.`)
    .runs(async () => (await import("../actions/receive.js")).receive);
}
