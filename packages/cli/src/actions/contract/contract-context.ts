import { readFile } from "node:fs/promises";
import {
  type Contract,
  contractOf,
  fromAsyncApi,
  parseContract,
  type WrittenForm,
} from "@waybill/migration/contract";
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
  const { service, sends, receives } = contract;
  return contractOf(pipeline, { service, sends, receives, chain, alsoWrites: formsOfPlans(writePlans) });
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

/** Reads a contract file, or an AsyncAPI document, whose content types stand for the serializers of `own`. */
export async function readContract(path: string, own?: Contract): Promise<Contract> {
  const text = await textOf(path);
  const document = own === undefined ? undefined : asyncApiIn(text);
  return document === undefined || own === undefined
    ? parseContract(text, path)
    : fromAsyncApi(document, { name: path, own });
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    throw new UsageError(`There is no contract file ${path}: waybill contract write writes one.`);
  }
}

function asyncApiIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "asyncapi" in value ? value : undefined;
  } catch {
    return undefined;
  }
}
