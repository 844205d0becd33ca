import type { Engine } from "../engine/engine.js";
import type { MessageId } from "../messages/message.js";
import type { Entity } from "./entity-registry.js";

/** The lower 48 bits count, the bits above are the partition; all stay safe integers. */
const PARTITION_RANGE = 2 ** 48;
/** Without partitions, sequence numbers use the whole range of safe integers. */
const NUMBER_RANGE = 2 ** 53;
/** The number of partitions of a partitioned entity, as in the service's standard tier. */
export const PARTITIONS = 16;
/** Distance between the counter ids of an entity's partitions: greater than any entity id. */
const COUNTER_STRIDE = 2 ** 32;

/** The properties that choose a message's partition. */
export interface Keyed {
  readonly messageId?: MessageId | undefined;
  readonly sessionId?: string | undefined;
  readonly partitionKey?: string | undefined;
}

/** The sequence numbering of one entity. Its sub-queues share it, because messages keep their numbers there. */
export class Numbering {
  /** The next number of an entity without partitions. */
  next = 1;
  /** The next number of each used partition. */
  readonly partitions: (number | undefined)[] = [];
  /** The partition of the next message without a key. */
  turn = 0;
  /** How many messages have arrived in a partitioned entity. */
  arrivals = 0;
}

/**
 * The next sequence number of an entity, in the partition of the message: by hash of its key, round-robin without one. Each partition
 * counts separately and restarts at 0 after 2^48 numbers. Source: "Message sequencing and timestamps".
 */
export function takeSequence(
  engine: Engine,
  entity: Entity,
  content: Keyed,
  key = partitionKeyOf(entity, content),
): number {
  const { numbering } = entity;
  if (!isPartitioned(entity)) {
    const number = numbering.next;
    numbering.next = (number + 1) % NUMBER_RANGE;
    if (!engine.storage.isVolatile) engine.storage.putCounter(entity.id, numbering.next);
    return number;
  }
  const partition = key === undefined ? numbering.turn++ % PARTITIONS : hash(key) % PARTITIONS;
  const number = numbering.partitions[partition] ?? 1;
  const next = (number + 1) % PARTITION_RANGE;
  numbering.partitions[partition] = next;
  if (!engine.storage.isVolatile) engine.storage.putCounter(counterId(entity.id, partition), next);
  return partition * PARTITION_RANGE + number;
}

/** The position in the order of arrival for a new message with this sequence number. */
export function takeArrival(entity: Entity, sequence: number): number {
  return isPartitioned(entity) ? ++entity.numbering.arrivals : sequence;
}

/** Whether an entity is partitioned. */
export function isPartitioned(entity: Entity): boolean {
  return (entity.kind === "subscription" ? entity.topic : entity).options.enablePartitioning;
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

/** The upper 16 bits of a sequence number. */
export function partitionOf(sequence: number): number {
  return Math.floor(sequence / PARTITION_RANGE);
}

/** Restores a counter stored under `id`. */
export function restoreCounter(
  find: (entityId: number) => Entity | undefined,
  id: number,
  next: number,
): void {
  const entity = find(id % COUNTER_STRIDE);
  if (entity === undefined) return;
  if (isPartitioned(entity)) entity.numbering.partitions[Math.floor(id / COUNTER_STRIDE)] = next;
  else entity.numbering.next = next;
}

/** Continues after the highest number of each partition without a stored counter: earlier versions stored one counter for all. */
export function restoreNumbers(
  { numbering }: Entity,
  messages: readonly { readonly sequence: number }[],
): void {
  const kept = new Set(Object.keys(numbering.partitions).map(Number));
  for (const { sequence } of messages) {
    const partition = partitionOf(sequence);
    if (kept.has(partition)) continue;
    const next = (sequence % PARTITION_RANGE) + 1;
    numbering.partitions[partition] = Math.max(numbering.partitions[partition] ?? 1, next);
  }
}

/** The ids of an entity's counters except the first, which is stored with the entity. */
export function furtherCounters({ id, numbering }: Entity): number[] {
  return Object.keys(numbering.partitions).flatMap((key) =>
    key === "0" ? [] : [counterId(id, Number(key))],
  );
}

function counterId(entityId: number, partition: number): number {
  return entityId + partition * COUNTER_STRIDE;
}

/** FNV-1a over UTF-16 units. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
