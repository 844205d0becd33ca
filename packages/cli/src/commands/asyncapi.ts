import { chainCommand } from "./common-options.js";
import type { WaybillCommand } from "./waybill-command.js";

/** `waybill asyncapi`: the contract as an AsyncAPI document. */
export function asyncApiCommand(): WaybillCommand {
  return chainCommand("asyncapi")
    .summary("write the contract as an AsyncAPI 3 document")
    .description(
      "Writes channels, operations, messages, schemas and content types of the service as an AsyncAPI 3 document in JSON. Service and entities stand in " +
        "waybill.config.ts, as contract.",
    )
    .argument("<file>", "the file to write")
    .option("--host <host>", "the host of the namespace: shop.servicebus.windows.net")
    .option("--check", "write nothing; exit with 1 if the file is not up to date")
    .examples(`
  waybill asyncapi asyncapi.json --host shop.servicebus.windows.net`)
    .runs(async () => (await import("../actions/contract/asyncapi.js")).asyncApi);
}
