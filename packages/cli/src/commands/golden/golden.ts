import { WaybillCommand } from "../waybill-command.js";
import { captureCommand } from "./capture.js";
import { checkCommand } from "./check.js";

/** `waybill golden`, with its two subcommands. */
export function goldenCommand(): WaybillCommand {
  return new WaybillCommand("golden")
    .summary("keep samples of real messages, and check chains against them")
    .description(
      "Keeps redacted samples of real messages in files, and checks that today's chain still reads them as before.",
    )
    .addCommand(captureCommand())
    .addCommand(checkCommand());
}
