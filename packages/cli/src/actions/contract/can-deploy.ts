import * as contracts from "@waybill/migration/contract";
import { queueBeaconStore } from "@waybill/migration/plan";
import { openConnection } from "../../connection/connection.js";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { UsageError } from "../../errors/usage-error.js";
import { counted } from "../../output/counted.js";
import type { Terminal } from "../../output/terminal.js";
import { type ChainContext, type CommonOptions, openChain } from "../action-context.js";
import { contractOfChain } from "./contract-context.js";
import { contractsOf, environmentOf } from "./environment.js";
import { findingForJson, printFinding } from "./print-findings.js";

export interface CanDeployOptions extends CommonOptions {
  readonly service?: string;
  readonly to?: readonly string[];
  readonly beacons?: string;
  readonly declaredProperties?: boolean;
}

export async function canDeploy(options: CanDeployOptions): Promise<ExitCode> {
  const { to = [], service } = options;
  const chain = await openChain(options);
  if (service !== undefined && service !== chain.contract?.service)
    throw new UsageError(
      `The configuration is that of the service "${chain.contract?.service ?? ""}", not of "${service}": name another with --config.`,
    );
  const environments = to.map((name) => environmentOf(chain.contract, name));
  const queues = [...environments.map(({ beacons }) => beacons), options.beacons];
  const [queue, ...others] = new Set(queues.filter((each) => each !== undefined));
  if (others.length > 0)
    throw new UsageError(`There is more than one queue of beacons: ${queue}, ${others}.`);
  if (to.length === 0 && queue === undefined)
    throw new UsageError(
      "Name what runs: --to with an environment or its contract files, --beacons with the queue of its readers, or both.",
    );
  const running = (await Promise.all(environments.map((each) => contractsOf(each, chain)))).flat();
  if (queue === undefined) return await ask(chain, running, undefined, options);
  await using connection = await openConnection(options);
  await using store = queueBeaconStore(connection.transport, queue);
  return await ask(chain, running, store, options);
}

async function ask(
  chain: ChainContext,
  running: readonly contracts.NamedContract[],
  beacons: contracts.CanDeployOptions["beacons"],
  { declaredProperties }: CanDeployOptions,
): Promise<ExitCode> {
  const { pipeline, terminal, abortSignal } = chain;
  const answer = await contracts.canDeploy({
    contract: contractOfChain(chain),
    pipeline,
    running,
    beacons,
    writesOnlyDeclared: declaredProperties,
    abortSignal,
  });
  if (terminal.isJson) terminal.json({ ...answer, findings: answer.findings.map(findingForJson) });
  else print(terminal, answer, running.length);
  return answer.answer === "yes" ? exitCodes.ok : exitCodes.found;
}

function print(
  terminal: Terminal,
  { answer, findings, liveReaders }: contracts.DeploymentAnswer,
  running: number,
): void {
  for (const finding of findings) if (finding.verdict !== "compatible") printFinding(terminal, finding);
  const { green, red } = terminal.colors;
  const shown = { yes: green("yes"), no: red("no"), "not-known": red("not known") }[answer];
  terminal.line(
    `can be deployed: ${shown}, by ${counted(running, "contract")} and ${counted(liveReaders, "live reader")}`,
  );
}
