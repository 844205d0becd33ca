import { withListTimeout, withManagementPort } from "../common-options.js";
import { WaybillCommand } from "../waybill-command.js";

/** `waybill broker pull`: writes a configuration from a namespace. */
export function pullCommand(): WaybillCommand {
  return withListTimeout(withManagementPort(new WaybillCommand("pull")))
    .summary("write the entities of a namespace to a file")
    .description(
      "Reads queues, topics, subscriptions and rules of the namespace of SERVICEBUS_CONNECTION_STRING, which needs the Manage claim, and writes them as a " +
        "configuration for `waybill broker --config`. Changes nothing there, and reads no messages.",
    )
    .argument("[file]", "where to write it; default: the standard output")
    .option("--overwrite", "replace the file if it exists")
    .runs(async () => (await import("../../actions/broker/pull.js")).pull);
}
