import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../errors/usage-error.js";

/** The file by which a directory is known to be a store. */
const storeMarker = "store.json";

/**
 * Where a namespace keeps its data in a data directory: in a directory with its name, however many namespaces there are. A data directory that is
 * itself a store, as a program makes it, is that of the only namespace; with several, its data would be hidden, so that is a `UsageError`.
 */
export function directoryOf(data: string, name: string, isOnly: boolean): string {
  if (!isStore(data)) return join(data, name);
  if (isOnly) return data;
  throw new UsageError(
    `${data} is itself the store of one namespace, and would hide from several: move its files to ${join(data, "NAME")}, with the name of their namespace.`,
  );
}

/** The namespaces that have data in a data directory. */
export function storedNamespaces(data: string): string[] {
  if (!existsSync(data)) return [];
  const entries = readdirSync(data, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && isStore(join(data, entry.name)))
    .map(({ name }) => name);
}

/** The store that a data directory is, or that of its only namespace. Throws `UsageError` for one with several. */
export function onlyStore(data: string): string {
  if (isStore(data)) return data;
  const [name, ...others] = storedNamespaces(data);
  if (name === undefined) return data;
  if (others.length === 0) return join(data, name);
  const all = [name, ...others].map((each) => join(data, each)).join(", ");
  throw new UsageError(`${data} has the data of several namespaces. Name one of them: ${all}.`);
}

function isStore(directory: string): boolean {
  return existsSync(join(directory, storeMarker));
}
