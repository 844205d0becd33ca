import { writeFile } from "node:fs/promises";
import { openAdministration } from "../../broker-host/administration.js";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";

export async function importNamespace(file: string | undefined): Promise<ExitCode> {
  const { readNamespace } = await import("../../broker-config/read-namespace.js");
  const warn = (text: string) => process.stderr.write(`warning: ${text}\n`);
  const config = await readNamespace(await openAdministration(), warn);
  const text = `${JSON.stringify(config, undefined, 2)}\n`;
  if (file === undefined) process.stdout.write(text);
  else await writeFile(file, text, { flag: "wx" });
  return exitCodes.ok;
}
