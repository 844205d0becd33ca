import { type EntityAddress, entityPathOf, type SubQueue } from "@waybill/core/transport";

/** The dead-letter queue, or the transfer dead-letter queue, of a queue or subscription. `subQueue` defaults to `"deadLetter"`. */
export type DeadLetterQueue = EntityAddress;

/** The address with its sub-queue filled in. */
export function deadLetterAddress(queue: DeadLetterQueue): EntityAddress & { readonly subQueue: SubQueue } {
  return { ...queue, subQueue: queue.subQueue ?? "deadLetter" };
}

/** The path as Service Bus writes it: `orders/$DeadLetterQueue`. */
export function deadLetterPath(queue: DeadLetterQueue): string {
  return entityPathOf(deadLetterAddress(queue));
}
