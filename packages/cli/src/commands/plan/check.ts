import { WaybillCommand } from "../waybill-command.js";

/** `waybill plan check`: the order of deployments between two contracts. */
export function checkCommand(): WaybillCommand {
  return new WaybillCommand("check")
    .summary("show the order of deployments between two contracts")
    .description(
      "Reads two contract files and prints the deployments that lead from one to the other: readers first, what each step may break by the schemas, and what to roll back to.",
    )
    .argument("<before>", "the contract file of what runs")
    .argument("<after>", "the contract file of the change")
    .option("--mermaid", "print a mermaid flowchart")
    .option("--json", "write JSON, as on a pipe")
    .option("--no-json", "write text, as on a terminal")
    .examples(`
  waybill plan check contracts/production/orders.json waybill.contract.json
  waybill plan check before.json after.json --mermaid >> plan.md

Exits with 1 when the first step may break something: the readers do not read what is out there.`)
    .runs(async () => (await import("../../actions/plan/check.js")).check);
}
