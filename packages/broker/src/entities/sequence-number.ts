import type { Engine } from "../engine/engine.js";
import type { MessageId } from "../messages/message.js";
import type { Entity } from "./entity-registry.js";

/** Sequence numbers of a partition count in the lower 48 bits; above them stands the partition, so all stay safe integers. */
const PARTITION_RANGE = 2 ** 48;
/** Those of an entity without partitions count as far as safe integers go. */
const NUMBER_RANGE = 2 ** 53;
/** As many partitions as the service gives a partitioned entity. */
export const PARTITIONS = 16;
/** The counter of a partition lies so far behind that of its entity: more than there are entities. */
const COUNTER_STRIDE = 2 ** 32;

/** What chooses a message's partition. */
export interface Keyed {
  readonly messageId?: MessageId | undefined;
  readonly sessionId?: string | undefined;
  readonly partitionKey?: string | undefined;
}

/** Where the numbering of one entity stands. Its sub-queues share it, because messages keep their numbers there. */
export class Numbering {
  /** The next number where there are no partitions. */
  next = 1;
  /** The next number of each partition that has given one. */
  readonly partitions: (number | undefined)[] = [];
  /** The partition that the next message without a key gets. */
  turn = 0;
  /** How many messages have come into a partitioned entity. */
  arrivals = 0;
}

/**
 * The next sequence number of an entity, in the partition that the message belongs to: by hash of its key, in turn without one. Each
 * partition counts for itself and begins at 0 again when its 48 bits are used up. Source: "Message sequencing and timestamps".
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

/** A place in the order of arrival for a message that comes into an entity under a sequence number. */
export function takeArrival(entity: Entity, sequence: number): number {
  return isPartitioned(entity) ? ++entity.numbering.arrivals : sequence;
}

/** Whether an entity spreads its messages over partitions. */
export function isPartitioned(entity: Entity): boolean {
  return (entity.kind === "subscription" ? entity.topic : entity).options.enablePartitioning;
}

/**
 * What chooses a message's partition: its session id, which overrides the partition key, or its id where duplicates are detected, so that
 * they come to one partition. Source: "Partitioned queues and topics", use of partition keys.
 */
export function partitionKeyOf(entity: Entity, content: Keyed): string | undefined {
  const { messageId, sessionId, partitionKey } = content;
  const key = sessionId ?? partitionKey;
  if (key !== undefined || messageId === undefined) return key;
  const { requiresDuplicateDetection } = (entity.kind === "subscription" ? entity.topic : entity).options;
  return requiresDuplicateDetection ? String(messageId) : undefined;
}

/**
 * What chooses the partition of a transfer queue, via which a message goes: a key of its own, else that of the message.
 * Source: "Messages, payloads, and serialization", ViaPartitionKey.
 */
export function transferKeyOf(
  via: Entity,
  message: Keyed & { readonly viaPartitionKey?: string | undefined },
): string | undefined {
  return message.viaPartitionKey ?? partitionKeyOf(via, message);
}

/** The topmost 16 bits of a sequence number. */
export function partitionOf(sequence: number): number {
  return Math.floor(sequence / PARTITION_RANGE);
}

/** Takes a counter over from a storage, under the id that it was kept under. */
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

/** Goes on behind the numbers of messages in partitions without a counter: stores of earlier versions keep one for all. */
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

/** The ids of an entity's counters but the first, which goes with the entity. */
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
