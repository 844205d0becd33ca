import { BrokerError } from "../broker-error.js";
import type { Queue } from "../entities/queue.js";
import { isPartitioned } from "../entities/sequence-number.js";
import type { Topic } from "../entities/topic.js";
import type { BrokerMessage } from "../messages/message.js";

/**
 * Refuses with `not-allowed` messages that are sent as one to a partitioned entity and belong to different partitions or sessions: a batch
 * lies in one partition. Source: "Partitioned queues and topics".
 */
export function checkOnePartition(target: Queue | Topic, messages: readonly BrokerMessage[]): void {
  const [first] = messages;
  if (first === undefined || messages.length === 1 || !isPartitioned(target)) return;
  const { requiresDuplicateDetection } = target.options;
  const key = keyOf(first, requiresDuplicateDetection);
  if (messages.every((message) => keyOf(message, requiresDuplicateDetection) === key)) return;
  const distinct = requiresDuplicateDetection
    ? "SessionId, PartitionKey, or MessageId  is not supported for an entity with partitioning and duplicate detection enabled"
    : "SessionId or PartitionKey is not supported for an entity with partitioning enabled";
  // In the service's wording, by which people find what to do.
  throw new BrokerError("not-allowed", `Batching brokered messages with distinct ${distinct}.`, {
    entity: target.path,
  });
}

/** The key that chooses a message's partition. Duplicates are detected within a partition, so an id is a key where there is no other. */
function keyOf(
  { sessionId, partitionKey, messageId }: BrokerMessage,
  detectsDuplicates: boolean,
): string | undefined {
  const key = sessionId ?? partitionKey;
  return key === undefined && detectsDuplicates && messageId !== undefined ? String(messageId) : key;
}
