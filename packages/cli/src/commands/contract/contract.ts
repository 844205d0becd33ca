import { WaybillCommand } from "../waybill-command.js";
import { canDeployCommand } from "./can-deploy.js";
import { checkCommand } from "./check.js";
import { writeCommand } from "./write.js";

/** `waybill contract`, with its subcommands. */
export function contractCommand(): WaybillCommand {
  return new WaybillCommand("contract")
    .summary("keep what a service writes and reads in a file, and check changes of it")
    .description(
      "Keeps a file with what a service writes and reads, and finds changes that a reader could not read before they are deployed.",
    )
    .addCommand(writeCommand())
    .addCommand(checkCommand())
    .addCommand(canDeployCommand());
}
