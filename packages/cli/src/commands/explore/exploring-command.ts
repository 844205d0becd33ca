import type { Command } from "commander";
import { brokerCommand, withEntities } from "../common-options.js";

/** A command that shows a broker to a person or an assistant. */
export function exploringCommand(name: string): Command {
  return withEntities(brokerCommand(name)).option(
    "--directory <path>",
    "where searches, censuses and receipts are kept (default: .waybill)",
  );
}
