import type { Command } from "commander";
import { parseCount } from "../../input/parse-number.js";
import { brokerCommand, withEntities } from "../common-options.js";
import { exiting } from "../exiting.js";

/** `waybill golden capture`: keeps samples of what waits. */
export function captureCommand(): Command {
  return withEntities(brokerCommand("capture"))
    .summary("keep samples of what waits")
    .description(
      "Looks at what waits and keeps samples of each message type, version and format, one file each. Letters become a or A, digits 1, bytes 1 and dates one " +
        "date; names of fields, booleans, null and the number 0 stay. Files that are there stay as they are.",
    )
    .argument("<directory>", "where to write; made when it is not there")
    .option(
      "--samples <number>",
      "how many samples of different shape of each type, version and format; default: 3",
      parseCount,
    )
    .option(
      "--keep <path>",
      "keep the values there, as a JSON pointer with stars: /status, /items/*/currency; can be repeated",
      (path: string, paths: readonly string[] = []) => [...paths, path],
    )
    .option("--no-redact", "keep the payloads as they are")
    .option("--limit <number>", "how many messages to look at in one place", parseCount)
    .addHelpText(
      "after",
      `
Examples:
  waybill golden capture test/golden
  waybill golden capture test/golden --entity orders --keep /status --keep '/items/*/currency'

Exits with 1 when some messages could not be made golden, and says why.`,
    )
    .action(exiting(async () => (await import("../../actions/golden/capture.js")).capture));
}
