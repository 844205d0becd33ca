import { readFile } from "node:fs/promises";
import { type Contract, contractOf, parseContract, type WrittenForm } from "@waybill/migration/contract";
import type { WritePlan } from "@waybill/migration/plan";
import type { LoadedConfig } from "../../config/load-config.js";
import { UsageError } from "../../errors/usage-error.js";

/** The name of the contract file. */
export const contractFile = "waybill.contract.json";

/** The contract of the chain in the configuration. */
export function contractOfChain({ pipeline, contract, chain, writePlans }: LoadedConfig): Contract {
  if (contract === undefined)
    throw new UsageError(
      'The configuration does not name the service: add contract: { service: "orders", sends: ["orders"] } to waybill.config.ts.',
    );
  return contractOf(pipeline, { ...contract, chain, alsoWrites: formsOfPlans(writePlans) });
}

/** What write plans write, by message type: the old target and the new one. */
function formsOfPlans(plans: readonly WritePlan[]): Readonly<Record<string, readonly WrittenForm[]>> {
  const forms: Record<string, WrittenForm[]> = {};
  for (const { messageType, from, to } of plans) {
    const known = forms[messageType.name] ?? [];
    const targets = [from, to].map(({ serializer, version = messageType.version }) => ({
      serializer,
      version,
    }));
    forms[messageType.name] = [...known, ...targets];
  }
  return forms;
}

/** Reads a contract file. */
export async function readContract(path: string): Promise<Contract> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch {
    throw new UsageError(`There is no contract file ${path}: waybill contract write writes one.`);
  }
  return parseContract(text, path);
}
