import { checkGoldenMessages } from "@waybill/migration/golden";
import type { Command } from "commander";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { counted } from "../../output/counted.js";
import { type CommonOptions, openChain } from "../command-context.js";
import { chainCommand, exiting } from "../common-options.js";

/** `waybill golden check`: reads the samples with today's chain. */
export function checkCommand(): Command {
  return chainCommand("check")
    .summary("read the samples with today's chain")
    .description(
      "Reads every golden message with today's chain and tells what is not as it was: lost support, another reader, another value, a new ambiguity.",
    )
    .argument("<directory>", "where the golden messages are")
    .addHelpText(
      "after",
      `
Examples:
  waybill golden check test/golden

In a test, the same is: await assertGoldenMessages({ pipeline, directory }), from @waybill/migration/golden.
Exits with 1 when something is not as it was.`,
    )
    .action(exiting(check));
}

async function check(directory: string, options: CommonOptions): Promise<ExitCode> {
  const { pipeline, terminal } = await openChain(options);
  const result = await checkGoldenMessages({ pipeline, directory });
  const { checked, failures } = result;
  if (terminal.isJson) {
    terminal.json(result);
  } else {
    if (failures.length > 0) {
      terminal.table(
        ["GOLDEN MESSAGE", "FAILURE", "WHY"],
        failures.map(({ name, kind, text }) => [name, kind, text]),
      );
      terminal.line();
    }
    terminal.line(
      `${checked} checked, ${failures.length === 0 ? "all as before" : counted(failures.length, "failure")}`,
    );
  }
  return failures.length === 0 ? exitCodes.ok : exitCodes.found;
}
