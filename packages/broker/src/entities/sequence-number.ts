import type { Engine } from "../engine.js";
import type { StoredMessage } from "../messages/stored-message.js";
import type { Entity } from "./entity-registry.js";

/** Sequence numbers count in the lower 48 bits; above them stands the partition, so all stay safe integers. */
export const PARTITION_RANGE = 2 ** 48;
/** As many partitions as the service gives a partitioned entity. */
export const PARTITIONS = 16;

/** What chooses a message's partition. */
interface Keyed {
  readonly sessionId?: string | undefined;
  readonly partitionKey?: string | undefined;
}

/** The next sequence number of an entity, in the partition that the message belongs to. */
export function takeSequence(engine: Engine, entity: Entity, content: Keyed): number {
  const number = entity.nextSequence++;
  if (!engine.storage.isVolatile) engine.storage.putCounter(entity.id, entity.nextSequence);
  return isPartitioned(entity) ? partitionOf(content, number) * PARTITION_RANGE + number : number;
}

/** A message's place in the order of arrival, whatever its partition. */
export function arrivalOf({ sequence }: StoredMessage): number {
  return sequence < PARTITION_RANGE ? sequence : sequence % PARTITION_RANGE;
}

/** Whether an entity spreads its messages over partitions. */
export function isPartitioned(entity: Entity): boolean {
  return (entity.kind === "subscription" ? entity.topic : entity).options.enablePartitioning;
}

/** By hash of the key, which a session id overrides; messages without a key take the partitions in turn. */
function partitionOf(content: Keyed, number: number): number {
  const key = content.sessionId ?? content.partitionKey;
  return key === undefined ? number % PARTITIONS : hash(key) % PARTITIONS;
}

/** FNV-1a over UTF-16 units. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
