import { writeFile } from "node:fs/promises";
import { Command } from "commander";
import { readNamespace } from "../../broker-config/read-namespace.js";
import { openAdministration } from "../../broker-host/administration.js";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { exiting } from "../common-options.js";

/** `waybill broker import`: writes a configuration from a real namespace. */
export function importCommand(): Command {
  return new Command("import")
    .summary("write the configuration of a broker from a namespace")
    .description(
      "Reads queues, topics, subscriptions and rules of the namespace of SERVICEBUS_CONNECTION_STRING, which needs the Manage claim, and writes them as a " +
        "configuration for `waybill broker --config`. Changes nothing there, and reads no messages.",
    )
    .argument("[file]", "where to write it, which must not be there yet; default: the standard output")
    .action(exiting(importNamespace));
}

async function importNamespace(file: string | undefined): Promise<ExitCode> {
  const warn = (text: string) => process.stderr.write(`warning: ${text}\n`);
  const config = await readNamespace(await openAdministration(), warn);
  const text = `${JSON.stringify(config, undefined, 2)}\n`;
  if (file === undefined) process.stdout.write(text);
  else await writeFile(file, text, { flag: "wx" });
  return exitCodes.ok;
}
