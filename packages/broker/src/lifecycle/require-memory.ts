import type { Queue } from "../entities/queue.js";
import type { Topic } from "../entities/topic.js";
import { BrokerError } from "../errors/broker-error.js";

/**
 * Throws `quota-exceeded` when the brokers of this process have no memory for so many bytes more, or when `owner` holds so much of it that
 * others need what is left.
 */
export function requireMemory(
  { main: { engine }, usage }: Queue | Topic,
  bytes: number,
  what: string,
  entity: string,
): void {
  const { heapBytes, sizeInBytes } = usage;
  // Where bodies are on a disk they take no memory.
  const bodyBytes = engine.storage.memoryBytes === undefined ? 0 : sizeInBytes;
  if (!engine.memory.isReachedBy({ heapBytes, bodyBytes }, bytes)) return;
  throw new BrokerError(
    "quota-exceeded",
    `${what}: the brokers of this process hold as much as it has memory for. Receive messages first, or give it more memory.`,
    { entity },
  );
}
