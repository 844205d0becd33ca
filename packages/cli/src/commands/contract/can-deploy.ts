import { brokerCommand, repeatable } from "../common-options.js";
import type { WaybillCommand } from "../waybill-command.js";

/** `waybill contract can-deploy`: compares the chain with what runs. */
export function canDeployCommand(): WaybillCommand {
  return brokerCommand("can-deploy")
    .summary("ask whether the chain can be deployed beside what runs")
    .description(
      "Compares the chain with the contracts of what runs in an environment, in both directions, and asks the live readers that announce themselves. Says yes only if " +
        "all of them read what it writes and it reads what they write; no with the evidence; otherwise not known.",
    )
    .option("--service <name>", "the service to deploy; the configuration must be its own")
    .option(
      "--to <environment, directory or file>",
      "an environment of waybill.config.ts, or the contract files of the services that run there; can be repeated",
      repeatable(String),
    )
    .option("--beacons <queue>", "the queue in which live readers announce themselves")
    .option(
      "--declared-properties",
      "writers write only properties that their JSON Schemas name, also where additionalProperties allows others",
    )
    .examples(`
  waybill contract can-deploy --service orders --to production
  waybill contract can-deploy --to contracts/production --beacons capabilities

After the deployment: waybill contract write --to production
Exits with 0 for yes, and with 1 for no and not known.`)
    .runs(async () => (await import("../../actions/contract/can-deploy.js")).canDeploy);
}
