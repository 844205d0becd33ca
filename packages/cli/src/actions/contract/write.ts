import { readFile, writeFile } from "node:fs/promises";
import { formatContract } from "@waybill/migration/contract";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { type CommonOptions, openChain } from "../action-context.js";
import { contractFile, contractOfChain } from "./contract-context.js";

export interface WriteOptions extends CommonOptions {
  readonly check?: boolean;
}

export async function write(file: string = contractFile, options: WriteOptions): Promise<ExitCode> {
  const chain = await openChain(options);
  const { terminal } = chain;
  const text = formatContract(contractOfChain(chain));
  const isCurrent = (await readFile(file, "utf8").catch(() => undefined)) === text;
  if (options.check !== true && !isCurrent) await writeFile(file, text);
  if (terminal.isJson) terminal.json({ file, isCurrent });
  else if (isCurrent) terminal.line(`${file} is up to date`);
  else
    terminal.line(
      options.check === true ? `${file} is not up to date: run waybill contract write` : `${file} written`,
    );
  return isCurrent || options.check !== true ? exitCodes.ok : exitCodes.found;
}
