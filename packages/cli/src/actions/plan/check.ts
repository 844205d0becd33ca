import { type DeploymentPlan, planAsMermaid, planDeployment } from "@waybill/migration/contract";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { printable } from "../../output/printable.js";
import { Terminal } from "../../output/terminal.js";
import { readContract } from "../contract/contract-context.js";

export interface PlanCheckOptions {
  readonly mermaid?: boolean;
  readonly json?: boolean;
}

export async function check(before: string, after: string, options: PlanCheckOptions): Promise<ExitCode> {
  const plan = await planDeployment(await readContract(before), await readContract(after));
  const terminal = new Terminal(options.json);
  if (options.mermaid === true) terminal.text(planAsMermaid(plan));
  else if (terminal.isJson) terminal.json(plan);
  else print(terminal, plan);
  return (plan.steps[0]?.risks.length ?? 0) === 0 ? exitCodes.ok : exitCodes.found;
}

function print(terminal: Terminal, { steps }: DeploymentPlan): void {
  const { bold, yellow } = terminal.colors;
  for (const [index, { action, risks, rollBack }] of steps.entries()) {
    terminal.line(`${index + 1}. ${bold(printable(action))}`);
    for (const risk of risks) terminal.line(`   ${yellow("may break")}: ${printable(risk)}`);
    terminal.line(`   roll back to: ${printable(rollBack)}`);
  }
}
