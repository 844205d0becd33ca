import { Option } from "commander";
import { parseDuration } from "../../input/parse-duration.js";
import { parseCount, parseRate } from "../../input/parse-number.js";
import { brokerCommand, withListTimeout } from "../common-options.js";
import type { WaybillCommand } from "../waybill-command.js";
import { withSelection } from "./selection.js";

/** The options that make the plan of a repair. */
const planOptions = [
  "reason",
  "messageType",
  "format",
  "number",
  "to",
  "throughTopic",
  "transcode",
  "includeUndeserializable",
  "targetDetectsDuplicates",
  "maxResubmits",
  "rate",
  "limit",
];

/** `waybill dead-letters repair`: sends again what can be read now. */
export function repairCommand(): WaybillCommand {
  return withSelection(withListTimeout(brokerCommand("repair")))
    .summary("send again what can be read now")
    .description(
      "Sends dead-lettered messages again that today's chain can read, and removes each only after it was sent. Without --apply it reports what it " +
        "would do. After an interruption, --resume continues with the same messages, target, bodies and rate. A subscription cannot be sent to: its " +
        "dead letters need --to, or --through-topic.",
    )
    .argument("<entity>", "orders, events/Subscriptions/billing")
    .option("--apply", "do it; without this nothing changes")
    .option("--receipts <file>", "records what was done; needed with --apply, the same file each time")
    .option(
      "--to <path>",
      "a queue, topic:name, or topic/Subscriptions/name; default: the queue they were dead-lettered in; needed for a subscription",
    )
    .addOption(
      new Option(
        "--through-topic",
        "send a subscription's dead letters to its topic: all its subscriptions get them, except those with the filter in docs/census.md",
      ).conflicts("to"),
    )
    .addOption(
      new Option(
        "--resume",
        "continue the interrupted repair that the receipts hold, with its own plan",
      ).conflicts([...planOptions, "replace"]),
    )
    .option("--replace", "give up the interrupted repair that the receipts hold, and begin this one")
    .option("--transcode", "write the bodies in the main serializer's format and the current version")
    .addOption(
      new Option("--include-undeserializable", "also send what cannot be deserialized, as it is").conflicts(
        "transcode",
      ),
    )
    .option(
      "--target-detects-duplicates",
      "the target detects duplicates: give each message a new id, or it is dropped; default: the broker is asked, which needs the Manage claim on Azure",
    )
    .option(
      "--max-resubmits <number>",
      "leave messages that were sent again this often; default: 3",
      parseCount,
    )
    .option("--rate <number>", "how many messages per second", parseRate)
    .option("--limit <number>", "how many messages in all", parseCount)
    .addOption(
      new Option("-w, --wait <duration>", "how long to wait for messages before the queue counts as empty")
        .argParser(parseDuration)
        .default(2_000, "2s"),
    )
    .examples(`
  waybill dead-letters repair orders                                      what would happen
  waybill dead-letters repair orders --apply --receipts orders.receipts
  waybill dead-letters repair orders --apply --receipts orders.receipts --reason DeserializationFailed --rate 20 --transcode
  waybill dead-letters repair events/Subscriptions/billing --to billing-again --apply --receipts billing.receipts

Exits with 1 when dead letters stay, or would stay.`)
    .runs(async () => (await import("../../actions/dead-letters/repair.js")).repair);
}
