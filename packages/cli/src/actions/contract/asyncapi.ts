import { toAsyncApi } from "@waybill/migration/contract";
import type { ExitCode } from "../../errors/exit-codes.js";
import { type CommonOptions, openChain } from "../action-context.js";
import { writeGenerated } from "../write-generated.js";
import { contractOfChain } from "./contract-context.js";

export interface AsyncApiCommandOptions extends CommonOptions {
  readonly host?: string;
  readonly check?: boolean;
}

export async function asyncApi(
  file: string,
  { check, host, ...options }: AsyncApiCommandOptions,
): Promise<ExitCode> {
  const chain = await openChain(options);
  const text = `${JSON.stringify(toAsyncApi(contractOfChain(chain), { host }), undefined, 2)}\n`;
  return await writeGenerated(chain.terminal, file, text, { check, command: `waybill asyncapi ${file}` });
}
