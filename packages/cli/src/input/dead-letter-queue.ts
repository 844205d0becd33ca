import type { EntityAddress, SubQueue } from "@waybill/core/transport";
import { parseEntity } from "./parse-entity.js";

/** A dead-letter queue. */
export type DeadLetterAddress = EntityAddress & { readonly subQueue: SubQueue };

/** The dead-letter queue of an entity; the path may name the sub-queue or not. */
export function parseDeadLetterQueue(path: string): DeadLetterAddress {
  const address = parseEntity(path);
  return { ...address, subQueue: address.subQueue ?? "deadLetter" };
}
