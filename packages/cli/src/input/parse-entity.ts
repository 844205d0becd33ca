import { type EntityAddress, type EntityName, parseEntityPath } from "@waybill/core/transport";
import { UsageError } from "../errors/usage-error.js";

/**
 * The path of an entity to receive from, as Service Bus and a census write it: `orders`, `events/Subscriptions/billing`,
 * `orders/$DeadLetterQueue`, `orders/$Transfer/$DeadLetterQueue`.
 */
export function parseEntity(path: string): EntityAddress {
  const address = parseEntityPath(path);
  if (address === undefined) {
    throw new UsageError(
      `"${path}" does not name a queue or subscription. Write orders, events/Subscriptions/billing, or one of them followed by /$DeadLetterQueue.`,
    );
  }
  return address;
}

/** The same without a sub-queue. */
export function parseEntityName(path: string): EntityName {
  const { subQueue, ...name } = parseEntity(path);
  if (subQueue === undefined) return name as EntityName;
  throw new UsageError(`Leave the sub-queue out: "${path}" names a whole queue or subscription here.`);
}
