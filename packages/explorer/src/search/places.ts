import type { EntityAddress } from "@waybill/core/transport";
import type { ExplorerContext } from "../options/explorer-options.js";

/** All queues and subscriptions with their sub-queues, without those that are known to be empty. */
export async function placesToSearch(
  { catalog, transport }: ExplorerContext,
  abortSignal?: AbortSignal,
): Promise<EntityAddress[]> {
  const entities = await catalog.listEntities({ abortSignal });
  return entities.flatMap(({ entity, counts }) => {
    if ("topic" in entity && entity.subscription === undefined) return [];
    const places: EntityAddress[] = [];
    if (counts === undefined || counts.active + counts.scheduled > 0) places.push(entity);
    if (counts?.deadLetter !== 0) places.push({ ...entity, subQueue: "deadLetter" });
    if (counts?.transferDeadLetter !== 0 && transport.capabilities.has("transferDeadLetter"))
      places.push({ ...entity, subQueue: "transferDeadLetter" });
    return places;
  });
}
