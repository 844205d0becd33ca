import { Command } from "commander";
import { exiting } from "../exiting.js";

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
    .action(exiting(async () => (await import("../../actions/broker/export.js")).exportNamespace));
}
