import { existsSync } from "node:fs";
import { resolve } from "node:path";
import {
  type CheckContractOptions,
  type CompatibilityMode,
  type Contract,
  type ContractCheck,
  checkContract,
  goldenCounterexample,
  type NamedContract,
  registryContracts,
  toGitHubAnnotations,
  toSarif,
} from "@waybill/migration/contract";
import { writeGoldenMessages } from "@waybill/migration/golden";
import { queueBeaconStore } from "@waybill/migration/plan";
import { openConnection } from "../../connection/connection.js";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { UsageError } from "../../errors/usage-error.js";
import { counted } from "../../output/counted.js";
import type { Terminal } from "../../output/terminal.js";
import { type ChainContext, type CommonOptions, openChain } from "../action-context.js";
import { contractFile, contractOfChain, readContract } from "./contract-context.js";
import { contractAtRevision, contractsInHistory } from "./git-contracts.js";
import { findingForJson, printFinding } from "./print-findings.js";

export interface CheckOptions extends CommonOptions {
  readonly against?: readonly string[];
  readonly transitive?: boolean;
  readonly registry?: boolean;
  readonly beacons?: string;
  readonly mode?: CompatibilityMode;
  readonly declaredProperties?: boolean;
  readonly allowUndecided?: boolean;
  readonly format?: "text" | "json" | "github" | "sarif";
  readonly keepGolden?: string;
}

export async function check(file: string = contractFile, options: CheckOptions): Promise<ExitCode> {
  const chain = await openChain(options);
  const { beacons } = options;
  if (beacons === undefined) return await compare(chain, file, undefined, options);
  await using connection = await openConnection(options);
  await using store = queueBeaconStore(connection.transport, beacons);
  return await compare(chain, file, store, options);
}

async function compare(
  chain: ChainContext,
  file: string,
  beacons: CheckContractOptions["beacons"],
  options: CheckOptions,
): Promise<ExitCode> {
  const { pipeline, terminal, abortSignal } = chain;
  const contract = contractOfChain(chain);
  const result = await checkContract({
    contract,
    pipeline,
    baselines: await baselinesOf(chain, contract, resolve(file), options),
    beacons,
    mode: options.mode,
    writesOnlyDeclared: options.declaredProperties,
    abortSignal,
  });
  print(terminal, result, file, options);
  if (options.keepGolden !== undefined) await keep(chain, result, options.keepGolden);
  const isAccepted =
    result.verdict === "compatible" || (result.verdict === "not-decided" && options.allowUndecided === true);
  return isAccepted ? exitCodes.ok : exitCodes.found;
}

/** What is named, or else the contract file as it is. */
async function baselinesOf(
  chain: ChainContext,
  contract: Contract,
  file: string,
  { against = [], transitive = false, registry = false, beacons }: CheckOptions,
): Promise<readonly NamedContract[]> {
  const named = await Promise.all(
    against.map(async (name) =>
      existsSync(name)
        ? { name, contract: await readContract(name, contract) }
        : await contractAtRevision(file, name),
    ),
  );
  if (transitive) named.push(...(await contractsInHistory(file)));
  if (registry) named.push(...(await registeredContracts(chain, contract)));
  const isNamed = against.length > 0 || transitive || registry || beacons !== undefined;
  return isNamed ? named : [{ name: "the contract file", contract: await readContract(file) }];
}

async function registeredContracts(
  { contract: config, abortSignal }: ChainContext,
  contract: Contract,
): Promise<readonly NamedContract[]> {
  if (config?.registry === undefined)
    throw new UsageError(
      "The configuration names no registry: add contract: { registry: { source: confluentSchemaRegistry({ url }) } } to waybill.config.ts.",
    );
  return await registryContracts({ ...config.registry, contract, abortSignal });
}

function print(terminal: Terminal, result: ContractCheck, file: string, { format }: CheckOptions): void {
  switch (format ?? (terminal.isJson ? "json" : "text")) {
    case "json":
      terminal.json({ ...result, findings: result.findings.map(findingForJson) });
      break;
    case "github":
      terminal.text(toGitHubAnnotations(result, file));
      break;
    case "sarif":
      terminal.json(toSarif(result, file));
      break;
    default:
      printText(terminal, result);
  }
}

function printText(terminal: Terminal, { findings, verdict }: ContractCheck): void {
  const { red, yellow, green } = terminal.colors;
  for (const finding of findings) if (finding.verdict !== "compatible") printFinding(terminal, finding);
  const tried = findings.reduce((sum, { trial }) => sum + trial.tried, 0);
  const shown = {
    compatible: green("compatible"),
    incompatible: red("incompatible"),
    "not-decided": yellow("not decided"),
  };
  terminal.line(
    `${shown[verdict]}: ${counted(findings.length, "pair")} of version and format, ${counted(tried, "value")} written and read`,
  );
}

async function keep(
  { pipeline, terminal }: ChainContext,
  { findings }: ContractCheck,
  directory: string,
): Promise<void> {
  const golden = await Promise.all(findings.map((finding) => goldenCounterexample(finding, pipeline)));
  const written = await writeGoldenMessages(
    directory,
    golden.filter((each) => each !== undefined),
  );
  terminal.note(`${counted(written.length, "golden message")} written to ${directory}`);
}
