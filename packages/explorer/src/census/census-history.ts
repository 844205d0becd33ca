import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Census } from "@waybill/migration/census";
import { formatCensus, parseCensus } from "@waybill/migration/tools";

/** How many censuses are kept; beyond, every second one of the older half is deleted. */
const maxCensuses = 200;

/** The censuses of a namespace over time, one per line of a file. */
export class CensusHistory {
  readonly #folder: string;
  readonly #file: string;
  #last: Promise<unknown> = Promise.resolve();

  /** The first census creates the file. */
  constructor(directory: string, namespace: string) {
    this.#folder = join(directory, "census");
    this.#file = join(this.#folder, `${fileName(namespace)}.jsonl`);
  }

  /** All censuses, oldest first; other lines are ignored. */
  async read(): Promise<Census[]> {
    const text = await readFile(this.#file, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return "";
      throw error;
    });
    return text.split("\n").flatMap((line) => (line === "" ? [] : (parseCensus(line) ?? [])));
  }

  /** Adds a census. Replaces the whole file atomically, so that a crash leaves the old one. */
  async add(census: Census): Promise<void> {
    const added = this.#last.then(async () => {
      const censuses = thinned([...(await this.read()), census]);
      await mkdir(this.#folder, { recursive: true });
      await writeFile(`${this.#file}.new`, `${censuses.map(formatCensus).join("\n")}\n`);
      await rename(`${this.#file}.new`, this.#file);
    });
    this.#last = added.catch(() => {});
    await added;
  }
}

function thinned(censuses: readonly Census[]): readonly Census[] {
  if (censuses.length <= maxCensuses) return censuses;
  const half = Math.floor(censuses.length / 2);
  return censuses.filter((_, index) => index >= half || index % 2 === 0);
}

/** A file name that is valid in every file system. */
function fileName(namespace: string): string {
  return (
    namespace
      .toLowerCase()
      .replace(/[^a-z0-9.-]+/g, "-")
      .replace(/^[.-]+/, "")
      .slice(0, 100) || "namespace"
  );
}
