import type { Queue } from "../entities/queue.js";
import { partitionKeyOf } from "../entities/sequence-number.js";
import type { Topic } from "../entities/topic.js";
import { refusal } from "../errors/broker-error.js";
import type { BrokerMessage } from "../messages/message.js";

/**
 * Throws `not-allowed` if the messages of a batch to a partitioned entity belong to different partitions or sessions: a batch is stored in
 * one partition. Source: "Partitioned queues and topics".
 */
export function checkOnePartition(target: Queue | Topic, messages: readonly BrokerMessage[]): void {
  const [first] = messages;
  if (first === undefined || messages.length === 1 || !target.isPartitioned) return;
  const key = partitionKeyOf(target, first);
  if (messages.every((message) => partitionKeyOf(target, message) === key)) return;
  const distinct = target.options.requiresDuplicateDetection
    ? "SessionId, PartitionKey, or MessageId  is not supported for an entity with partitioning and duplicate detection enabled"
    : "SessionId or PartitionKey is not supported for an entity with partitioning enabled";
  // The service's wording, which users search for.
  throw refusal(target.path, "not-allowed", `Batching brokered messages with distinct ${distinct}.`);
}
