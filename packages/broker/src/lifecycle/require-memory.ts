import type { Queue } from "../entities/queue.js";
import type { Topic } from "../entities/topic.js";
import { type BrokerError, refusal } from "../errors/broker-error.js";

/**
 * Throws `quota-exceeded` if the brokers of this process have no memory for `sizeInBytes` more, or if `owner` uses so much that the rest is
 * reserved for others.
 * `what` is refused, in words before the entity's name: the text is made only then.
 */
export function requireMemory(
  { main: { engine }, usage }: Queue | Topic,
  bytes: number,
  what: string,
  entity: string,
): void {
  const { heapBytes, sizeInBytes } = usage;
  // Bodies on disk use no memory.
  const bodyBytes = engine.storage.memoryBytes === undefined ? 0 : sizeInBytes;
  if (engine.memory.isReachedBy(heapBytes, bodyBytes, bytes)) throw outOfMemory(what, entity);
}

function outOfMemory(what: string, entity: string): BrokerError {
  const text = `Cannot ${what} '${entity}': the brokers of this process hold as much as it has memory for. Receive messages first, or give it more memory.`;
  return refusal(entity, "quota-exceeded", text);
}
