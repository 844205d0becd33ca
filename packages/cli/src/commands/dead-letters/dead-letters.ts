import { Command } from "commander";
import { listCommand } from "./list.js";
import { repairCommand } from "./repair.js";
import { showCommand } from "./show.js";

/** `waybill dead-letters`, with its three subcommands. */
export function deadLettersCommand(): Command {
  return new Command("dead-letters")
    .summary("inspect and repair dead-letter queues")
    .description(
      "Reads dead-letter queues with today's chain, and sends again the messages that it can read.",
    )
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(repairCommand());
}
