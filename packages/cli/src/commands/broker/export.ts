import { Command } from "commander";
import { exiting } from "../exiting.js";

/** `waybill broker export`: creates the entities of a configuration in a real namespace. */
export function exportCommand(): Command {
  return new Command("export")
    .summary("create the entities of a configuration in a namespace")
    .description(
      "Creates the entities and rules of a configuration in the namespace of SERVICEBUS_CONNECTION_STRING, which needs the Manage claim. Existing " +
        "entities are not changed. Without --apply it lists what it would create.",
    )
    .argument("<file>", "a configuration, as for `waybill broker --config`")
    .option("--namespace <name>", "which of the file's namespaces; default: the first")
    .option("--apply", "do it; without this nothing changes")
    .action(exiting(async () => (await import("../../actions/broker/export.js")).exportNamespace));
}
