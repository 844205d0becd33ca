import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import * as contracts from "@waybill/migration/contract";
import { queueBeaconStore } from "@waybill/migration/plan";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { UsageError } from "../../errors/usage-error.js";
import { counted } from "../../output/counted.js";
import type { Terminal } from "../../output/terminal.js";
import { type ChainContext, type CommonOptions, openBrokerContext, openChain } from "../action-context.js";
import { contractOfChain, readContract } from "./contract-context.js";
import { findingForJson, printFinding } from "./print-findings.js";

export interface CanDeployOptions extends CommonOptions {
  readonly to?: readonly string[];
  readonly beacons?: string;
  readonly declaredProperties?: boolean;
}

export async function canDeploy(options: CanDeployOptions): Promise<ExitCode> {
  const { to = [], beacons } = options;
  if (to.length === 0 && beacons === undefined)
    throw new UsageError(
      "Name what runs: --to with its contract files, --beacons with the queue of its readers, or both.",
    );
  const running = (await Promise.all(to.map(contractsAt))).flat();
  if (beacons === undefined) return await ask(await openChain(options), running, undefined, options);
  await using context = await openBrokerContext(options);
  await using store = queueBeaconStore(context.transport, beacons);
  return await ask(context, running, store, options);
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

/** The contract of a file, or of every file of a directory. */
async function contractsAt(path: string): Promise<readonly contracts.NamedContract[]> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) return [{ name: path, contract: await readContract(path) }];
  const files = (await readdir(path)).filter((file) => file.endsWith(".json")).sort();
  return await Promise.all(
    files.map(async (file) => ({ name: file, contract: await readContract(join(path, file)) })),
  );
}
