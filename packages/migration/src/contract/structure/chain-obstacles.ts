import type { ContractChain } from "../model/contract.js";
import { breaks, notDecided, type Obstacle } from "./obstacle.js";

/** Why the options of the reader's chain refuse what the writer's chain makes of a body. Nothing is said if one of them is not known. */
export function chainObstacles(
  writer: ContractChain | undefined,
  reader: ContractChain | undefined,
): readonly Obstacle[] {
  if (writer === undefined || reader === undefined) return [];
  const found: Obstacle[] = [];
  if (writer.isEncrypted && !reader.isEncrypted)
    found.push(breaks("", "bodies are encrypted, and the reader has no keys"));
  if (!writer.isEncrypted && reader.isEncrypted)
    found.push(breaks("", "the reader requires encrypted bodies"));
  if (writer.hasClaimChecks && !reader.hasClaimChecks)
    found.push(breaks("", "large bodies are kept in a store, and the reader has none"));
  if (writer.compression !== false && reader.contentEncoding === "ignore")
    found.push(breaks("", "bodies are compressed, and the reader does not decompress them"));
  for (const limit of ["maxBodyBytes", "maxDepth"] as const)
    if (isLower(reader[limit], writer[limit]))
      found.push(notDecided("", `the reader's limit ${limit} is lower than the writer's: ${reader[limit]}`));
  return found;
}

/** An absent limit is the default, which is the highest that is usual. */
function isLower(reader: number | undefined, writer: number | undefined): boolean {
  return reader !== undefined && (writer === undefined || reader < writer);
}
