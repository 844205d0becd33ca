import { WaybillCommand } from "../waybill-command.js";
import { cancelCommand } from "./cancel.js";
import { listCommand } from "./list.js";

/** `waybill scheduled`, with its subcommands. */
export function scheduledCommand(): WaybillCommand {
  return new WaybillCommand("scheduled")
    .summary("show and cancel scheduled messages")
    .description("Shows messages of a queue or a topic that become visible later, and cancels them.")
    .addCommand(listCommand())
    .addCommand(cancelCommand());
}
