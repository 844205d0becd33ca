import type { EntityAddress, EntityName, SubQueue } from "@waybill/core/transport";
import { RequestError } from "./request-error.js";

const pathPattern = /^(.+?)(?:\/subscriptions\/([^/]+))?(\/\$transfer)?(\/\$deadletterqueue)?$/i;
/** Longer than any path of an entity with its subscription and sub-queue. */
const maxLength = 400;

const subQueuePaths: Readonly<Record<SubQueue, string>> = {
  deadLetter: "/$DeadLetterQueue",
  transferDeadLetter: "/$Transfer/$DeadLetterQueue",
};

/** Reads `orders`, `events/Subscriptions/billing` or `orders/$DeadLetterQueue`. Throws `RequestError`. */
export function addressAt(path: string): EntityAddress {
  const [, name = "", subscription, transfer, deadLetter] =
    path.length > maxLength ? [] : (pathPattern.exec(path) ?? []);
  if (name === "" || name.includes("$") || (transfer !== undefined && deadLetter === undefined))
    throw new RequestError(
      400,
      "entity must be a queue or topic/Subscriptions/name, optionally followed by /$DeadLetterQueue.",
    );
  const entity = subscription === undefined ? { queue: name } : { topic: name, subscription };
  if (deadLetter === undefined) return entity;
  return { ...entity, subQueue: transfer === undefined ? "deadLetter" : "transferDeadLetter" };
}

/** The path as Service Bus writes it, with the sub-queue. */
export function pathOf(name: EntityName, subQueue: SubQueue | undefined = subQueueOf(name)): string {
  const path =
    "queue" in name
      ? name.queue
      : name.subscription === undefined
        ? name.topic
        : `${name.topic}/Subscriptions/${name.subscription}`;
  return subQueue === undefined ? path : path + subQueuePaths[subQueue];
}

function subQueueOf(name: EntityName): SubQueue | undefined {
  return "subQueue" in name ? name.subQueue : undefined;
}
