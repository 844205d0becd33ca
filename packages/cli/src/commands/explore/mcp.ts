import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { openBrokerContext } from "../command-context.js";
import { exiting } from "../common-options.js";
import { type ExploreOptions, explorerOptions, exploringCommand } from "./explorer-options.js";

/** `waybill mcp`: the same reads for an assistant, over the standard input and output. */
export function mcpCommand(): Command {
  return exploringCommand("mcp")
    .summary("let an assistant look, over the Model Context Protocol")
    .description(
      "Serves entities, messages, decoded bodies, dead-letter groups, census and retirement verdict over the Model Context Protocol on the standard " +
        "input and output. Reads only: none of its tools changes anything.",
    )
    .addHelpText(
      "after",
      `
Examples:
  waybill mcp --data ./broker
  waybill mcp --entity orders

What messages hold goes to the assistant, and to whoever runs it.`,
    )
    .action(exiting(mcp));
}

async function mcp(options: ExploreOptions): Promise<ExitCode> {
  await using context = await openBrokerContext(options);
  const { serveMcp } = await import("@waybill/explorer/mcp");
  const manifest = await readFile(new URL("../../../package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(manifest) as { version: string };
  await serveMcp(explorerOptions(context, options), version, context.abortSignal);
  return exitCodes.ok;
}
