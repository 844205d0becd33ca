import { chainCommand } from "../common-options.js";
import type { WaybillCommand } from "../waybill-command.js";

/** `waybill contract write`: writes the contract file. */
export function writeCommand(): WaybillCommand {
  return chainCommand("write")
    .summary("write the contract file")
    .description(
      "Writes what the service writes and reads: message types, versions, schemas with fingerprints, formats, entities, and the options of the chain that matter to " +
        "others. The same chain always gives the same file, so that a review sees what changes. Service and entities stand in waybill.config.ts, as contract.",
    )
    .argument("[file]", "the contract file; default: waybill.contract.json")
    .option("--check", "write nothing; exit with 1 if the file is not up to date")
    .option(
      "--to <environment>",
      "write it to an environment of waybill.config.ts instead, after a deployment there",
    )
    .examples(`
  waybill contract write
  waybill contract write --check            in CI, so that nobody forgets to write it
  waybill contract write --to production    after a deployment, for can-deploy`)
    .runs(async () => (await import("../../actions/contract/write.js")).write);
}
