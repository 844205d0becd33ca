import { writeFile } from "node:fs/promises";
import { withAdministration } from "../../connection/administration.js";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { UsageError } from "../../errors/usage-error.js";

/** How a configuration is written. */
export interface PullOptions {
  readonly overwrite?: boolean;
  readonly managementPort?: number;
}

/** `waybill broker pull`: writes the entities of a namespace to a file, or to the standard output. */
export async function pull(
  file: string | undefined,
  { overwrite = false, managementPort }: PullOptions,
): Promise<ExitCode> {
  const { readNamespace } = await import("../../broker-config/read-namespace.js");
  const warn = (text: string) => process.stderr.write(`warning: ${text}\n`);
  const config = await withAdministration(managementPort, (client) => readNamespace(client, warn));
  const text = `${JSON.stringify(config, undefined, 2)}\n`;
  if (file === undefined) process.stdout.write(text);
  else await write(file, text, overwrite);
  return exitCodes.ok;
}

async function write(file: string, text: string, overwrite: boolean): Promise<void> {
  try {
    await writeFile(file, text, { flag: overwrite ? "w" : "wx" });
  } catch (error) {
    if ((error as { readonly code?: string }).code !== "EEXIST") throw error;
    throw new UsageError(`${file} exists. --overwrite replaces it.`);
  }
}
