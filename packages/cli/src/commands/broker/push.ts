import { withManagementPort } from "../common-options.js";
import { WaybillCommand } from "../waybill-command.js";

/** `waybill broker push`: creates the entities of a configuration in a namespace. */
export function pushCommand(): WaybillCommand {
  return withManagementPort(new WaybillCommand("push"))
    .summary("create the entities of a file in a namespace")
    .description(
      "Creates the entities and rules of a configuration in the namespace of SERVICEBUS_CONNECTION_STRING, which needs the Manage claim. Existing " +
        "entities are not changed. Without --apply it lists what it would create.",
    )
    .argument("<file>", "a configuration, as for `waybill broker --config`")
    .option("--namespace <name>", "which of the file's namespaces; default: the first")
    .option("--apply", "do it; without this nothing changes")
    .runs(async () => (await import("../../actions/broker/push.js")).push);
}
