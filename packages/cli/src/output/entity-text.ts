import type { SubQueue } from "@waybill/core/transport";

const subQueuePaths: Readonly<Record<SubQueue, string>> = {
  deadLetter: "/$DeadLetterQueue",
  transferDeadLetter: "/$Transfer/$DeadLetterQueue",
};

/** An entity with its sub-queue, as Service Bus writes it. */
export function entityText({
  entityPath,
  subQueue,
}: {
  entityPath: string;
  subQueue?: SubQueue | undefined;
}): string {
  return subQueue === undefined ? entityPath : entityPath + subQueuePaths[subQueue];
}
