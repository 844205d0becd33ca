import { Option } from "commander";
import { parseDuration, parseInstant } from "../input/parse-duration.js";
import { parseCount } from "../input/parse-number.js";
import { brokerCommand, repeatable, withConnections, withEntities, withSharing } from "./common-options.js";
import type { WaybillCommand } from "./waybill-command.js";

/** `waybill verdict`: decides whether a serializer or a version can be retired. */
export function verdictCommand(): WaybillCommand {
  return withSharing(withEntities(withConnections(brokerCommand("verdict"))))
    .summary("decide whether a format or a version can be retired")
    .description(
      "Takes a census and decides whether a serializer, or a version of a message type, can be removed from the chain without losing a message. Says " +
        "yes only if every message was peeked, no waiting message needs it, its writers have stopped, and what consumers have read since does not " +
        "contradict that; no with the evidence against it; otherwise not known, with what is missing and what to do.",
    )
    .argument("[serializer]", "the name of the serializer to retire")
    .option("--message-type <name>", "the message type of which to retire a version")
    .option("--message-version <number>", "the version to retire", parseCount)
    .option(
      "--writers-stopped-at <instant>",
      "when the last producer stopped writing it; without this the verdict is not known",
      parseInstant,
    )
    .option(
      "--longest-schedule <duration>",
      "how far ahead producers schedule at most: 2h, 30d; needed where a topic cannot be peeked",
      parseDuration,
    )
    .option(
      "--session-states-are-free",
      "no session state is written with it; needed if entities have sessions",
    )
    .option(
      "--earlier <file>",
      "an earlier census, which may have seen it later; can be repeated",
      repeatable(String),
    )
    .option(
      "--reads <queue>",
      "the queue in which consumers record what they read; without it the verdict is not known; can be repeated",
      repeatable(String),
    )
    .option("--reader <name>", "a consumer that must have a record; can be repeated", repeatable(String))
    .addOption(
      new Option("--census <file>", "check this census instead of taking one").conflicts([
        "entity",
        "workQueue",
      ]),
    )
    .examples(`
  waybill verdict json --writers-stopped-at 2026-11-05T12:00:00Z --reads waybill-reads
  waybill verdict --message-type order-placed --message-version 1 --writers-stopped-at 2026-11-05T12:00:00Z --reads waybill-reads
  waybill verdict json --census today.json --earlier monday.json --writers-stopped-at 2026-11-05T12:00:00Z

Exits with 0 for yes, and with 1 for no and not known. With --entity it holds for the named entities only.`)
    .runs(async () => (await import("../actions/verdict.js")).verdict);
}
