import { parseCount } from "../../input/parse-number.js";
import { brokerCommand, repeatable, withEntities } from "../common-options.js";
import type { WaybillCommand } from "../waybill-command.js";

/** `waybill golden capture`: keeps samples of the waiting messages. */
export function captureCommand(): WaybillCommand {
  return withEntities(brokerCommand("capture"))
    .summary("keep samples of the waiting messages")
    .description(
      "Peeks the waiting messages and keeps samples of each message type, version and format, one file each. Letters become a or A, digits 1, bytes 1 and " +
        "dates one date; names of fields, booleans, null and the number 0 are kept. Existing files are not changed.",
    )
    .argument("<directory>", "where to write; created if it does not exist")
    .option(
      "--samples <number>",
      "how many samples of different shape of each type, version and format; default: 3",
      parseCount,
    )
    .option(
      "--keep <path>",
      "keep the values at this JSON pointer, in which * matches any step: /status, /items/*/currency; can be repeated",
      repeatable(String),
    )
    .option("--no-redact", "do not redact payloads")
    .option("--limit <number>", "maximum number of messages to peek in one place", parseCount)
    .examples(`
  waybill golden capture test/golden
  waybill golden capture test/golden --entity orders --keep /status --keep '/items/*/currency'

Exits with 1 when some messages could not be made golden, and says why.`)
    .runs(async () => (await import("../../actions/golden/capture.js")).capture);
}
