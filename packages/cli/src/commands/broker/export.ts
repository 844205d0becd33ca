import { Command } from "commander";
import { readBrokerConfig } from "../../broker-config/broker-config.js";
import { writeNamespace } from "../../broker-config/write-namespace.js";
import { openAdministration } from "../../broker-host/administration.js";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { exiting } from "../common-options.js";

interface ExportOptions {
  readonly apply?: boolean;
  readonly namespace?: string;
}

/** `waybill broker export`: makes what a configuration describes in a real namespace. */
export function exportCommand(): Command {
  return new Command("export")
    .summary("make what a configuration describes in a namespace")
    .description(
      "Makes the entities and rules of a configuration in the namespace of SERVICEBUS_CONNECTION_STRING, which needs the Manage claim. What is there " +
        "already stays as it is. Without --apply it tells what it would make.",
    )
    .argument("<file>", "a configuration, as for `waybill broker --config`")
    .option("--namespace <name>", "which of the file's namespaces; default: the first")
    .option("--apply", "do it; without this nothing changes")
    .action(exiting(exportNamespace));
}

async function exportNamespace(file: string, { apply = false, namespace }: ExportOptions): Promise<ExitCode> {
  const warn = (text: string) => process.stderr.write(`warning: ${text}\n`);
  const namespaces = await readBrokerConfig(file, { emulatorDefaults: false, warn });
  const config = namespaces.find(({ name }) => namespace === undefined || name === namespace);
  if (config === undefined) throw new TypeError(`${file} has no namespace ${namespace}.`);
  const write = (text: string) => process.stdout.write(`${text}\n`);
  await writeNamespace(await openAdministration(), config, { apply, write });
  if (!apply) write("Nothing was changed. --apply does it.");
  return exitCodes.ok;
}
