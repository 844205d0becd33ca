import type { MessageId } from "../messages/message.js";
import type { Storage } from "../storage/storage.js";
import type { Entity } from "./entity-registry.js";
import { partitionRange } from "./numbering.js";
import { partitions } from "./partitions.js";

/** Without partitions, sequence numbers use the whole range of safe integers. */
const numberRange = 2 ** 53;
/** Distance between the counter ids of an entity's partitions: greater than any entity id. */
const counterStride = 2 ** 32;

/** The properties that choose a message's partition. */
export interface Keyed {
  readonly messageId?: MessageId | undefined;
  readonly sessionId?: string | undefined;
  readonly partitionKey?: string | undefined;
}

/**
 * The next sequence number of an entity, in the partition of the message: by hash of its key, round-robin without one. Each partition
 * counts separately and restarts at 0 after 2^48 numbers. Source: "Message sequencing and timestamps".
 */
export function takeSequence(storage: Storage, entity: Entity, content: Keyed, key?: string): number {
  if (entity.isPartitioned) return takeInPartition(storage, entity, key ?? partitionKeyOf(entity, content));
  const { numbering } = entity;
  const number = numbering.next;
  numbering.next = number + 1 < numberRange ? number + 1 : 0;
  if (!storage.isVolatile) storage.putCounter(entity.id, numbering.next);
  return number;
}

function takeInPartition(storage: Storage, entity: Entity, key: string | undefined): number {
  const { numbering } = entity;
  const partition = key === undefined ? numbering.turn++ % partitions : hash(key) % partitions;
  const number = numbering.partitions[partition] ?? 1;
  const next = (number + 1) % partitionRange;
  numbering.partitions[partition] = next;
  if (!storage.isVolatile) storage.putCounter(counterId(entity.id, partition), next);
  return partition * partitionRange + number;
}

/**
 * The key that chooses a message's partition: its session id, which overrides the partition key, or with duplicate detection its message
 * id, so that duplicates share a partition. Source: "Partitioned queues and topics", use of partition keys.
 */
export function partitionKeyOf(entity: Entity, content: Keyed): string | undefined {
  const { messageId, sessionId, partitionKey } = content;
  const key = sessionId ?? partitionKey;
  if (key !== undefined || messageId === undefined) return key;
  const { requiresDuplicateDetection } = (entity.kind === "subscription" ? entity.topic : entity).options;
  return requiresDuplicateDetection ? String(messageId) : undefined;
}

/**
 * The key that chooses the partition of the transfer queue of a send-via: the message's own, else its partition key. Source: "Messages,
 * payloads, and serialization", ViaPartitionKey.
 */
export function transferKeyOf(
  via: Entity,
  message: Keyed & { readonly viaPartitionKey?: string | undefined },
): string | undefined {
  return message.viaPartitionKey ?? partitionKeyOf(via, message);
}

/** Restores a counter stored under `id`. */
export function restoreCounter(
  find: (entityId: number) => Entity | undefined,
  id: number,
  next: number,
): void {
  const entity = find(id % counterStride);
  if (entity === undefined) return;
  if (entity.isPartitioned) entity.numbering.partitions[Math.floor(id / counterStride)] = next;
  else entity.numbering.next = next;
}

/** The ids of an entity's counters except the first, which is stored with the entity. */
export function furtherCounters({ id, numbering }: Entity): number[] {
  return Object.keys(numbering.partitions).flatMap((key) =>
    key === "0" ? [] : [counterId(id, Number(key))],
  );
}

function counterId(entityId: number, partition: number): number {
  return entityId + partition * counterStride;
}

/** FNV-1a over UTF-16 units. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
