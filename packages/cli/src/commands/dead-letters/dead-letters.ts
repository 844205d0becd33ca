import { Command } from "commander";
import { listCommand } from "./list.js";
import { repairCommand } from "./repair.js";
import { showCommand } from "./show.js";

/** `waybill dead-letters`: its three commands. */
export function deadLettersCommand(): Command {
  return new Command("dead-letters")
    .summary("look into dead-letter queues and repair them")
    .description("Looks into dead-letter queues with the chain of today, and sends again what it can read.")
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(repairCommand());
}
