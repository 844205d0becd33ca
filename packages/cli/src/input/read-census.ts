import { readFile } from "node:fs/promises";
import type { Census } from "@waybill/migration/census";
import { parseCensus } from "@waybill/migration/tools";
import { UsageError } from "../errors/usage-error.js";

/** Reads a census that `waybill census --json` wrote. */
export async function readCensus(path: string): Promise<Census> {
  const census = parseCensus(await readFile(path, "utf8"));
  if (census !== undefined) return census;
  throw new UsageError(`${path} is not a census. Make one with: waybill census --json > ${path}`);
}
