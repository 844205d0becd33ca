import type { EntityAddress, SubQueue } from "@waybill/core/transport";
import { parseEntity } from "./parse-entity.js";

/** A dead-letter queue. */
export type DeadLetterAddress = EntityAddress & { readonly subQueue: SubQueue };

/** The dead-letter queue of an entity, whether it is named with the sub-queue or without. */
export function parseDeadLetterQueue(path: string): DeadLetterAddress {
  const address = parseEntity(path);
  return { ...address, subQueue: address.subQueue ?? "deadLetter" };
}
