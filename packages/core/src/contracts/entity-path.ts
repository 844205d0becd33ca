import type { EntityName } from "./entity-catalog.js";
import type { EntityAddress, SubQueue } from "./transport.js";

const subQueuePaths: Readonly<Record<SubQueue, string>> = {
  deadLetter: "/$DeadLetterQueue",
  transferDeadLetter: "/$Transfer/$DeadLetterQueue",
};

const pathPattern = /^(.+?)(?:\/subscriptions\/([^/]+))?(\/\$transfer)?(\/\$deadletterqueue)?$/i;

/** The path as Service Bus writes it: `orders`, `events/Subscriptions/billing`, `orders/$DeadLetterQueue` where the address names the sub-queue. */
export function entityPathOf(name: EntityName): string {
  if ("queue" in name) return subQueuePathOf(name.queue, name.subQueue);
  return name.subscription === undefined
    ? name.topic
    : subQueuePathOf(`${name.topic}/Subscriptions/${name.subscription}`, name.subQueue);
}

/** The path of a sub-queue of the entity at a path; that of the entity itself without one. */
export function subQueuePathOf(path: string, subQueue: SubQueue | undefined): string {
  return subQueue === undefined ? path : path + subQueuePaths[subQueue];
}

/** Reads a path that {@link entityPathOf} writes, upper and lower case aside; undefined for one that names no queue or subscription. */
export function parseEntityPath(path: string): EntityAddress | undefined {
  const [, name = "", subscription, transfer, deadLetter] = pathPattern.exec(path) ?? [];
  if (name === "" || name.includes("$") || (transfer !== undefined && deadLetter === undefined))
    return undefined;
  const entity = subscription === undefined ? { queue: name } : { topic: name, subscription };
  if (deadLetter === undefined) return entity;
  return { ...entity, subQueue: transfer === undefined ? "deadLetter" : "transferDeadLetter" };
}
