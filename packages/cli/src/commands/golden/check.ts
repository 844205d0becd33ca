import type { Command } from "commander";
import { chainCommand } from "../common-options.js";
import { exiting } from "../exiting.js";

/** `waybill golden check`: reads the samples with today's chain. */
export function checkCommand(): Command {
  return chainCommand("check")
    .summary("read the samples with today's chain")
    .description(
      "Reads every golden message with today's chain and reports what changed: lost support, another reader, another value, a new ambiguity.",
    )
    .argument("<directory>", "where the golden messages are")
    .addHelpText(
      "after",
      `
Examples:
  waybill golden check test/golden

In a test, the same is: await assertGoldenMessages({ pipeline, directory }), from @waybill/migration.
Exits with 1 when something changed.`,
    )
    .action(exiting(async () => (await import("../../actions/golden/check.js")).check));
}
