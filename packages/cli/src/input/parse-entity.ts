import type { EntityAddress, EntityName, SubQueue } from "@waybill/core/transport";
import { InvalidArgumentError } from "commander";

const pathPattern = /^(.+?)(?:\/subscriptions\/([^/]+))?(\/\$transfer)?(\/\$deadletterqueue)?$/i;

/**
 * The path of an entity to receive from, as Service Bus and a census write it: `orders`, `events/Subscriptions/billing`,
 * `orders/$DeadLetterQueue`, `orders/$Transfer/$DeadLetterQueue`.
 */
export function parseEntity(path: string): EntityAddress {
  const match = pathPattern.exec(path);
  const [, name = "", subscription, transfer, deadLetter] = match ?? [];
  if (name === "" || name.includes("$") || (transfer !== undefined && deadLetter === undefined)) {
    throw new InvalidArgumentError(
      `"${path}" does not name a queue or subscription. Write orders, events/Subscriptions/billing, or one of them followed by /$DeadLetterQueue.`,
    );
  }
  const entity = subscription === undefined ? { queue: name } : { topic: name, subscription };
  const subQueue: SubQueue | undefined =
    deadLetter === undefined ? undefined : transfer === undefined ? "deadLetter" : "transferDeadLetter";
  return subQueue === undefined ? entity : { ...entity, subQueue };
}

/** The same without a sub-queue. */
export function parseEntityName(path: string): EntityName {
  const { subQueue, ...name } = parseEntity(path);
  if (subQueue === undefined) return name as EntityName;
  throw new InvalidArgumentError(
    `Leave the sub-queue out: "${path}" names a whole queue or subscription here.`,
  );
}
