import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Fields } from "../wire/fields.js";
import { RequestError } from "../wire/request-error.js";
import { type SearchCriteria, searchCriteria } from "./search-criteria.js";

/** A search that is saved in a file. */
export interface SavedSearch {
  /** Also the name of its file. */
  readonly name: string;
  readonly criteria: SearchCriteria;
}

const namePattern = /^[a-z0-9][a-z0-9-]{0,63}$/;
const extension = ".search.json";

/** Reads every search of the directory; other files are ignored. */
export async function listSearches(directory: string): Promise<SavedSearch[]> {
  const folder = join(directory, "searches");
  const files = await readdir(folder).catch(() => []);
  const searches = await Promise.all(files.sort().map((file) => readSearch(folder, file)));
  return searches.flatMap((search) => search ?? []);
}

/** Writes a search; overwrites one of the same name. Rejects with `RequestError` for an invalid name. */
export async function saveSearch(
  directory: string,
  name: string,
  criteria: SearchCriteria,
): Promise<SavedSearch> {
  const file = fileOf(directory, name);
  await mkdir(join(directory, "searches"), { recursive: true });
  await writeFile(file, `${JSON.stringify({ waybillSearch: 1, ...criteria }, undefined, 2)}\n`);
  return { name, criteria };
}

/** Removes a search. */
export async function removeSearch(directory: string, name: string): Promise<void> {
  await rm(fileOf(directory, name), { force: true });
}

function fileOf(directory: string, name: string): string {
  if (!namePattern.test(name))
    throw new RequestError(400, "name must be lower-case letters, digits and hyphens, 64 at most.");
  return join(directory, "searches", name + extension);
}

async function readSearch(folder: string, file: string): Promise<SavedSearch | undefined> {
  const name = file.endsWith(extension) ? file.slice(0, -extension.length) : "";
  if (!namePattern.test(name)) return undefined;
  try {
    return {
      name,
      criteria: searchCriteria(Fields.of(JSON.parse(await readFile(join(folder, file), "utf8")))),
    };
  } catch {
    return undefined;
  }
}
