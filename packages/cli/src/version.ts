import { readFile } from "node:fs/promises";

/** The version of the command, from its manifest. */
export async function readVersion(): Promise<string> {
  // The published modules are bundled into one directory: a path from there is the same as from src.
  const manifest = await readFile(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
