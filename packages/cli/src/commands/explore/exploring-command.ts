import { brokerCommand, withConnections, withEntities } from "../common-options.js";
import type { WaybillCommand } from "../waybill-command.js";

/** A command that shows a broker to a person or an assistant. */
export function exploringCommand(name: string): WaybillCommand {
  return withEntities(withConnections(brokerCommand(name))).option(
    "--directory <path>",
    "where searches, censuses and receipts are kept (default: .waybill)",
  );
}
