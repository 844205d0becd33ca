import type { CallOptions } from "@waybill/core/transport";
import type { NamedContract } from "../check/check-contract.js";
import type { Contract } from "../model/contract.js";
import { formatContract, parseContract } from "../model/contract-text.js";

/** The part of `ContainerClient` of `@azure/storage-blob` that is used. */
export interface ContractContainer {
  listBlobsFlat(options: { abortSignal?: AbortSignal }): AsyncIterable<{ readonly name: string }>;
  getBlockBlobClient(name: string): ContractBlob;
}

/** The part of `BlockBlobClient` that is used. */
export interface ContractBlob {
  downloadToBuffer(
    offset: number,
    count: number | undefined,
    options: { abortSignal?: AbortSignal },
  ): Promise<Uint8Array>;
  uploadData(data: Uint8Array<ArrayBuffer>, options: { abortSignal?: AbortSignal }): Promise<unknown>;
}

/**
 * The contracts in a container of Azure Blob Storage: every blob whose name ends with `.json`. Rejects as the container does, and with
 * `configuration-invalid` for a blob that is no contract.
 */
export async function contractsInContainer(
  container: ContractContainer,
  call: CallOptions = {},
): Promise<readonly NamedContract[]> {
  const options = optionsOf(call);
  const contracts: NamedContract[] = [];
  for await (const { name } of container.listBlobsFlat(options)) {
    if (!name.endsWith(".json")) continue;
    const bytes = await container.getBlockBlobClient(name).downloadToBuffer(0, undefined, options);
    contracts.push({ name, contract: parseContract(new TextDecoder().decode(bytes), name) });
  }
  return contracts;
}

/** Writes the contract of what was deployed to a container, as `<service>.json`; resolves with the name of the blob. Rejects as the container does. */
export async function writeToContainer(
  container: ContractContainer,
  contract: Contract,
  call: CallOptions = {},
): Promise<string> {
  const name = `${contract.service}.json`;
  const bytes = new TextEncoder().encode(formatContract(contract));
  await container.getBlockBlobClient(name).uploadData(bytes, optionsOf(call));
  return name;
}

function optionsOf({ abortSignal }: CallOptions): { abortSignal?: AbortSignal } {
  return abortSignal === undefined ? {} : { abortSignal };
}
