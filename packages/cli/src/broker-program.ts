import { Command } from "commander";
import { brokerCommand } from "./commands/broker/broker.js";

/** The command with `broker` alone, which loads faster. */
export function createBrokerProgram(version: string): Command {
  return (
    new Command("waybill")
      .version(version, "-v, --version")
      // So that options behind a command of `broker` are its own.
      .enablePositionalOptions()
      .addCommand(brokerCommand())
  );
}
