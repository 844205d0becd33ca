import { rename, rm, writeFile } from "node:fs/promises";
import { toJson } from "../output/to-json.js";

/** What other programs need to know of a namespace that is served. */
export interface ReadyNamespace {
  readonly namespace: string;
  /** Without the key if the user gave it. */
  readonly connectionString: string;
  readonly host: string;
  readonly ports: readonly number[];
  readonly health: string;
}

/** Removes what an earlier process left: until the broker is ready, there is no file. */
export async function removeReadyFile(file: string | undefined): Promise<void> {
  if (file !== undefined) await rm(file, { force: true });
}

/** Writes the file in one step: who waits for it never reads half of it. The key in it is for the user only. */
export async function writeReadyFile(
  file: string | undefined,
  namespaces: readonly ReadyNamespace[],
): Promise<void> {
  if (file === undefined) return;
  const [first] = namespaces;
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, `${toJson({ ...first, namespaces })}\n`, { mode: 0o600 });
  await rename(unfinished, file);
}
