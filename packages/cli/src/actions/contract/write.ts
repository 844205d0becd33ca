import { formatContract } from "@waybill/migration/contract";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { type ChainContext, type CommonOptions, openChain } from "../action-context.js";
import { writeGenerated } from "../write-generated.js";
import { contractFile, contractOfChain } from "./contract-context.js";
import { environmentOf, writeTo } from "./environment.js";

export interface WriteOptions extends CommonOptions {
  readonly check?: boolean;
  readonly to?: string;
}

export async function write(
  file: string = contractFile,
  { check, to, ...options }: WriteOptions,
): Promise<ExitCode> {
  const chain = await openChain(options);
  if (to !== undefined) return await writeToEnvironment(chain, to);
  const text = formatContract(contractOfChain(chain));
  return await writeGenerated(chain.terminal, file, text, { check, command: "waybill contract write" });
}

async function writeToEnvironment(chain: ChainContext, name: string): Promise<ExitCode> {
  const contract = contractOfChain(chain);
  const file = await writeTo(environmentOf(chain.contract, name), contract, chain);
  if (chain.terminal.isJson) chain.terminal.json({ file, environment: name });
  else chain.terminal.line(`${file} written for ${name}`);
  return exitCodes.ok;
}
