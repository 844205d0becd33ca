import { Option } from "commander";
import { parseDuration } from "../../input/parse-duration.js";
import { parseCount, parseRate } from "../../input/parse-number.js";
import { brokerCommand, concurrencyOption, withListTimeout } from "../common-options.js";
import type { WaybillCommand } from "../waybill-command.js";
import { withSelection } from "./selection.js";

/** `waybill dead-letters repair-all`: repairs many queues together with the workers of a queue. */
export function repairAllCommand(): WaybillCommand {
  return withSelection(withListTimeout(brokerCommand("repair-all")))
    .summary("repair many dead-letter queues, together with the workers of a queue")
    .description(
      "Repairs each dead-letter queue as `waybill dead-letters repair` does, shared with every `waybill worker` of the work queue, which keeps the receipts. " +
        "Without --apply it reports what it would do, without the workers. After an interruption the same command continues. Subscriptions are repaired " +
        "only with --to or --through-topic.",
    )
    .argument(
      "[entity...]",
      "orders, events/Subscriptions/billing; default: all, which needs the Manage claim on Azure",
    )
    .requiredOption("--work-queue <queue>", "the queue of the workers, which needs sessions")
    .option("--job <name>", "the name under which an interrupted job is continued; default: repair")
    .option("--replace-job", "give up an interrupted job of this name, and begin again")
    .addOption(concurrencyOption())
    .option("--apply", "do it; without this nothing changes")
    .option(
      "--to <path>",
      "send all to this queue or topic:name; default: each to the queue they were dead-lettered in",
    )
    .addOption(
      new Option(
        "--through-topic",
        "send subscriptions' dead letters to their topics: all their subscriptions get them, except those with the filter in docs/census.md",
      ).conflicts("to"),
    )
    .option("--transcode", "write the bodies in the main serializer's format and the current version")
    .addOption(
      new Option("--include-undeserializable", "also send what cannot be deserialized, as it is").conflicts(
        "transcode",
      ),
    )
    .option(
      "--max-resubmits <number>",
      "leave messages that were sent again this often; default: 3",
      parseCount,
    )
    .option("--rate <number>", "how many messages per second, for each queue", parseRate)
    .addOption(
      new Option("-w, --wait <duration>", "how long to wait for messages before a queue counts as empty")
        .argParser(parseDuration)
        .default(2_000, "2s"),
    )
    .examples(`
  waybill dead-letters repair-all --work-queue jobs                          what would happen
  waybill dead-letters repair-all --work-queue jobs --apply --rate 50
  waybill dead-letters repair-all orders events/Subscriptions/billing --to billing-again --work-queue jobs --job billing --apply

Exits with 1 when dead letters stay, or would stay.`)
    .runs(async () => (await import("../../actions/dead-letters/repair-all.js")).repairAll);
}
