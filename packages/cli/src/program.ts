import { Command } from "commander";
import { asyncApiCommand } from "./commands/asyncapi.js";
import { brokerCommand } from "./commands/broker/broker.js";
import { censusCommand } from "./commands/census.js";
import { contractCommand } from "./commands/contract/contract.js";
import { deadLettersCommand } from "./commands/dead-letters/dead-letters.js";
import { decodeCommand } from "./commands/decode.js";
import { entitiesCommand } from "./commands/entities/entities.js";
import { exploreCommand } from "./commands/explore/explore.js";
import { mcpCommand } from "./commands/explore/mcp.js";
import { goldenCommand } from "./commands/golden/golden.js";
import { addHelp } from "./commands/help.js";
import { peekCommand } from "./commands/peek.js";
import { planCommand } from "./commands/plan/plan.js";
import { receiveCommand } from "./commands/receive.js";
import { rehearseCommand } from "./commands/rehearse.js";
import { scheduledCommand } from "./commands/scheduled/scheduled.js";
import { sendCommand } from "./commands/send.js";
import { sessionsCommand } from "./commands/sessions/sessions.js";
import { tailCommand } from "./commands/tail.js";
import { tokenCommand } from "./commands/token.js";
import { transcodeCommand } from "./commands/transcode.js";
import { typesCommand } from "./commands/types.js";
import { verdictCommand } from "./commands/verdict.js";
import { workerCommand } from "./commands/worker.js";

/** The program with all its commands. An action returns the exit code, which is passed to `onExitCode`. */
export function createProgram(version: string): Command {
  const program = new Command("waybill")
    .description(
      "Inspects messages on Azure Service Bus or a local broker, and moves systems from one payload format to the next.",
    )
    .version(version, "-v, --version")
    // So that options after a subcommand of `broker` belong to the subcommand.
    .enablePositionalOptions()
    .addCommand(decodeCommand())
    .addCommand(sendCommand())
    .addCommand(peekCommand())
    .addCommand(tailCommand())
    .addCommand(receiveCommand())
    .addCommand(scheduledCommand())
    .addCommand(sessionsCommand())
    .addCommand(entitiesCommand())
    .addCommand(rehearseCommand())
    .addCommand(censusCommand())
    .addCommand(verdictCommand())
    .addCommand(deadLettersCommand())
    .addCommand(workerCommand())
    .addCommand(goldenCommand())
    .addCommand(contractCommand())
    .addCommand(planCommand())
    .addCommand(typesCommand())
    .addCommand(asyncApiCommand())
    .addCommand(transcodeCommand())
    .addCommand(exploreCommand())
    .addCommand(mcpCommand())
    .addCommand(tokenCommand())
    .addCommand(brokerCommand())
    .addHelpText(
      "after",
      `
Before a consumer is switched on:
  waybill rehearse orders                   what it would make of what waits

Before a change is merged:
  waybill contract check --against main     whether every reader reads what it writes, and the other way round

The way from one format to the next:
  1. waybill census                         what waits, and who reads it
  2. waybill golden capture test/golden     samples, to test the new chain with
  3. waybill dead-letters list              what could not be read, and could be now
  4. waybill dead-letters repair orders     send it again
  5. waybill verdict json …                 whether the old format can go

The broker is the namespace of SERVICEBUS_CONNECTION_STRING, one to sign in to with Microsoft Entra ID: --namespace NAME,
or a local data directory: --data DIR.
The chain and the message types come from waybill.config.ts; without one they are JSON and MessagePack.

Exit codes: 0 done · 1 done, and found something · 2 wrong usage · 3 broker out of reach · 4 failed · 130 interrupted`,
    );
  addHelp(program);
  return program;
}
