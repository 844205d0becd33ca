import type { EntityAddress, SubQueue } from "@waybill/core/transport";

const subQueuePaths: Readonly<Record<SubQueue, string>> = {
  deadLetter: "/$DeadLetterQueue",
  transferDeadLetter: "/$Transfer/$DeadLetterQueue",
};

/** The path of an entity, as Service Bus and the broker write it. */
export function entityPath(address: EntityAddress): string {
  const entity =
    "queue" in address ? address.queue : `${address.topic}/Subscriptions/${address.subscription}`;
  return address.subQueue === undefined ? entity : entity + subQueuePaths[address.subQueue];
}
