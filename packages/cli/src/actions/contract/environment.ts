import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CallOptions } from "@waybill/core/transport";
import {
  type Contract,
  contractsInContainer,
  formatContract,
  type NamedContract,
  writeToContainer,
} from "@waybill/migration/contract";
import type { ContractConfig, ContractEnvironment } from "../../config/waybill-config.js";
import { UsageError } from "../../errors/usage-error.js";
import { readContract } from "./contract-context.js";

/** The environment of a name in the configuration, else of a directory or a file. */
export function environmentOf(config: ContractConfig | undefined, name: string): ContractEnvironment {
  return config?.environments?.[name] ?? { contracts: name };
}

/** The contracts of what runs in an environment. */
export async function contractsOf(
  { contracts }: ContractEnvironment,
  call: CallOptions,
): Promise<readonly NamedContract[]> {
  if (contracts === undefined) return [];
  return typeof contracts === "string"
    ? await contractsAt(contracts)
    : await contractsInContainer(contracts, call);
}

/** Writes the contract of what was deployed to an environment; resolves with where it was written. */
export async function writeTo(
  { contracts }: ContractEnvironment,
  contract: Contract,
  call: CallOptions,
): Promise<string> {
  if (contracts === undefined)
    throw new UsageError(
      "The environment has no place for contract files: give it contracts in waybill.config.ts.",
    );
  if (typeof contracts !== "string") return await writeToContainer(contracts, contract, call);
  await mkdir(contracts, { recursive: true });
  const file = join(contracts, `${contract.service}.json`);
  await writeFile(file, formatContract(contract));
  return file;
}

/** The contract of a file, or of every file of a directory. */
async function contractsAt(path: string): Promise<readonly NamedContract[]> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined)
    throw new UsageError(
      `"${path}" is neither a file nor a directory of contract files, nor an environment of waybill.config.ts: contract: { environments: { production: { contracts: … } } }.`,
    );
  if (!found.isDirectory()) return [{ name: path, contract: await readContract(path) }];
  const files = (await readdir(path)).filter((file) => file.endsWith(".json")).sort();
  return await Promise.all(
    files.map(async (file) => ({ name: file, contract: await readContract(join(path, file)) })),
  );
}
