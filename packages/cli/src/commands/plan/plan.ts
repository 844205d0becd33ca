import { WaybillCommand } from "../waybill-command.js";
import { checkCommand } from "./check.js";

/** `waybill plan`, with its subcommand. */
export function planCommand(): WaybillCommand {
  return new WaybillCommand("plan")
    .summary("plan the deployments of a change")
    .description("Plans the deployments that lead from one contract to another.")
    .addCommand(checkCommand());
}
