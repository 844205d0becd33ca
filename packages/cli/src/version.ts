import { readFile } from "node:fs/promises";

/** The version of the command, from its manifest. */
export async function readVersion(): Promise<string> {
  // Modules of this package are published joined, beside each other: only from the top is the path the same.
  const manifest = await readFile(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
