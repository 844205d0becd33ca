import { type SubQueue, subQueuePathOf } from "@waybill/core/transport";

/** An entity with its sub-queue, as Service Bus writes it. */
export function entityText(place: { entityPath: string; subQueue?: SubQueue | undefined }): string {
  return subQueuePathOf(place.entityPath, place.subQueue);
}
