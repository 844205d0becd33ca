import type { EntityAddress, SubQueue } from "@waybill/core/transport";

const subQueuePaths: Readonly<Record<SubQueue, string>> = {
  deadLetter: "/$DeadLetterQueue",
  transferDeadLetter: "/$Transfer/$DeadLetterQueue",
};

/** The path by which the broker knows an entity, as Service Bus writes it. */
export function entityPath(address: EntityAddress): string {
  const entity =
    "queue" in address ? address.queue : `${address.topic}/Subscriptions/${address.subscription}`;
  return address.subQueue === undefined ? entity : entity + subQueuePaths[address.subQueue];
}
