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
  const written = await readFile(file, "utf8").catch(() => undefined);
  const isCurrent = written !== undefined && contentOf(written) === contentOf(text);
  if (!check && !isCurrent) await writeFile(file, text);
  if (terminal.isJson) terminal.json({ file, isCurrent });
  else if (isCurrent) terminal.line(`${file} is up to date`);
  else terminal.line(check ? `${file} is not up to date: run ${command}` : `${file} written`);
  return isCurrent || !check ? exitCodes.ok : exitCodes.found;
}

/** Without what formatters and git change: white space in JSON, and line ends. */
function contentOf(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text.replaceAll("\r\n", "\n");
  }
}
