import type { Command } from "commander";
import { parseCount, parseShare } from "../input/parse-number.js";
import { brokerCommand, withEntities } from "./common-options.js";
import { exiting } from "./exiting.js";

/** `waybill census`: counts what waits and who would read it. */
export function censusCommand(): Command {
  return withEntities(brokerCommand("census"))
    .summary("count what waits, by who would read it")
    .description(
      "Counts what waits in every queue and subscription and in their dead-letter queues, active, scheduled and deferred, by content type, message " +
        "type, version, the serializer that would read it and where it likely comes from. Looks without locking and changes nothing.",
    )
    .option(
      "--sample <share>",
      "the share of the messages to read, from 0 to 1; the others are only counted",
      parseShare,
    )
    .option("--limit <number>", "how many messages to look at in one place", parseCount)
    .addHelpText(
      "after",
      `
Examples:
  waybill census
  waybill census --entity orders --entity events/Subscriptions/billing
  waybill census --json > census-$(date +%F).json      to hand to: waybill verdict --earlier

Exits with 1 when some of it cannot be deserialized, or a place could not be looked at.`,
    )
    .action(exiting(async () => (await import("../actions/census.js")).census));
}
