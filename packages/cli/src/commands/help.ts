import type { Command } from "commander";
import { WaybillCommand } from "./waybill-command.js";

/** Gives a command and those below it a `help` that takes the names of commands at any depth: `waybill help broker purge`. */
export function addHelp(command: Command): void {
  if (command.commands.length === 0) return;
  for (const each of command.commands) addHelp(each);
  command.helpCommand(false).addCommand(helpOf(command));
}

function helpOf(parent: Command): WaybillCommand {
  return new WaybillCommand("help")
    .summary("display help for command")
    .description("Displays the help of a command.")
    .argument("[command...]", "the command, with those it is part of: broker purge")
    .action((names: readonly string[]) => {
      let found = parent;
      for (const name of names) {
        const next = found.commands.find((each) => each.name() === name);
        if (next === undefined)
          found.error(`error: unknown command '${name}'`, { code: "commander.unknownCommand" });
        else found = next;
      }
      found.help();
    }) as WaybillCommand;
}
