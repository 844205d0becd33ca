import { formatContract } from "@waybill/migration/contract";
import type { ExitCode } from "../../errors/exit-codes.js";
import { type CommonOptions, openChain } from "../action-context.js";
import { writeGenerated } from "../write-generated.js";
import { contractFile, contractOfChain } from "./contract-context.js";

export interface WriteOptions extends CommonOptions {
  readonly check?: boolean;
}

export async function write(
  file: string = contractFile,
  { check, ...options }: WriteOptions,
): Promise<ExitCode> {
  const chain = await openChain(options);
  const text = formatContract(contractOfChain(chain));
  return await writeGenerated(chain.terminal, file, text, { check, command: "waybill contract write" });
}
