import { WaybillCommand } from "../waybill-command.js";
import { listCommand } from "./list.js";
import { repairCommand } from "./repair.js";
import { repairAllCommand } from "./repair-all.js";
import { showCommand } from "./show.js";

/** `waybill dead-letters`, with its subcommands. */
export function deadLettersCommand(): WaybillCommand {
  return new WaybillCommand("dead-letters")
    .summary("inspect and repair dead-letter queues")
    .description(
      "Reads dead-letter queues with today's chain, and sends again the messages that it can read.",
    )
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(repairCommand())
    .addCommand(repairAllCommand());
}
