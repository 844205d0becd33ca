import { writeFile } from "node:fs/promises";
import { WaybillError } from "@waybill/core";
import { underEither } from "@waybill/foundation";
import { withAdministration } from "../../connection/administration.js";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { UsageError } from "../../errors/usage-error.js";

/** How a configuration is written. */
export interface PullOptions {
  readonly overwrite?: boolean;
  readonly managementPort?: number;
  readonly listTimeout?: number;
}

/** `waybill broker pull`: writes the entities of a namespace to a file, or to the standard output. */
export async function pull(
  file: string | undefined,
  { overwrite = false, managementPort, listTimeout = 60_000 }: PullOptions,
): Promise<ExitCode> {
  const { readNamespace } = await import("../../broker-config/read-namespace.js");
  const warn = (text: string) => process.stderr.write(`warning: ${text}\n`);
  const abortSignal = AbortSignal.timeout(listTimeout);
  const config = await withAdministration(managementPort, async (client) => {
    try {
      return await underEither(abortSignal, undefined, (signal) =>
        readNamespace(client, { warn, abortSignal: signal }),
      );
    } catch (error) {
      if (!abortSignal.aborted) throw error;
      throw new WaybillError(
        "timeout",
        `The entities of the namespace cannot be listed: that takes more than ${listTimeout / 1000} seconds. --list-timeout allows more.`,
        { cause: error },
      );
    }
  });
  const text = `${JSON.stringify(config, undefined, 2)}\n`;
  if (file === undefined) process.stdout.write(text);
  else {
    await write(file, text, overwrite);
    process.stdout.write(`${file} written\n`);
  }
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
