import { WaybillError } from "@waybill/core";
import type { CallOptions, EntityCatalog } from "@waybill/core/transport";
import { type RepairOptions, targetOf } from "./repair-options.js";

/**
 * Whether the target of a repair detects duplicates: without `targetDetectsDuplicates` it would drop the messages that it has received within
 * its history window. Undefined if the catalog does not say, or cannot be read.
 */
export async function detectsDuplicates(
  catalog: EntityCatalog,
  path: Pick<RepairOptions, "from" | "to">,
  options: CallOptions = {},
): Promise<boolean | undefined> {
  const target = nameOf(targetOf(path));
  try {
    const entities = await catalog.listEntities(options);
    return entities
      .filter(({ entity }) => nameOf(entity) === target)
      .map(({ requiresDuplicateDetection }) => requiresDuplicateDetection)
      .find((detects) => detects !== undefined);
  } catch (error) {
    if (options.abortSignal?.aborted || !(error instanceof WaybillError)) throw error;
    return undefined;
  }
}

/** The queue or topic. A subscription has no duplicate detection of its own, but its topic. */
function nameOf(entity: { readonly queue: string } | { readonly topic: string }): string {
  return JSON.stringify(
    "queue" in entity ? { queue: entity.queue.toLowerCase() } : { topic: entity.topic.toLowerCase() },
  );
}
