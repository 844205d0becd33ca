import { WaybillCommand } from "../waybill-command.js";
import { listCommand } from "./list.js";
import { setStateCommand } from "./set-state.js";
import { stateCommand } from "./state.js";

/** `waybill sessions`, with its subcommands. */
export function sessionsCommand(): WaybillCommand {
  return new WaybillCommand("sessions")
    .summary("list sessions, show and set their states")
    .description(
      "Shows which sessions of an entity have messages, and reads and writes the state of a session.",
    )
    .addCommand(listCommand())
    .addCommand(stateCommand())
    .addCommand(setStateCommand());
}
