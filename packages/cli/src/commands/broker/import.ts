import { WaybillCommand } from "../waybill-command.js";

/** `waybill broker import`: writes a configuration from a real namespace. */
export function importCommand(): WaybillCommand {
  return new WaybillCommand("import")
    .summary("write the configuration of a broker from a namespace")
    .description(
      "Reads queues, topics, subscriptions and rules of the namespace of SERVICEBUS_CONNECTION_STRING, which needs the Manage claim, and writes them as a " +
        "configuration for `waybill broker --config`. Changes nothing there, and reads no messages.",
    )
    .argument("[file]", "where to write it; must not exist yet; default: the standard output")
    .runs(async () => (await import("../../actions/broker/import.js")).importNamespace);
}
