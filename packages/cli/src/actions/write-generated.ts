import { readFile, writeFile } from "node:fs/promises";
import { type ExitCode, exitCodes } from "../errors/exit-codes.js";
import type { Terminal } from "../output/terminal.js";

/** Writes a file that is made from the chain, or only says whether it is up to date. */
export async function writeGenerated(
  terminal: Terminal,
  file: string,
  text: string,
  { check = false, command }: { readonly check?: boolean | undefined; readonly command: string },
): Promise<ExitCode> {
  const isCurrent = (await readFile(file, "utf8").catch(() => undefined)) === text;
  if (!check && !isCurrent) await writeFile(file, text);
  if (terminal.isJson) terminal.json({ file, isCurrent });
  else if (isCurrent) terminal.line(`${file} is up to date`);
  else terminal.line(check ? `${file} is not up to date: run ${command}` : `${file} written`);
  return isCurrent || !check ? exitCodes.ok : exitCodes.found;
}
