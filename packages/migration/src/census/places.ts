import {
  type CatalogEntity,
  type EntityAddress,
  type EntityName,
  entityPathOf,
  type SubQueue,
} from "@waybill/core/transport";
import type { CensusPlace, HiddenMessages } from "./census.js";

/** An entity or sub-queue to peek. */
export interface Place {
  readonly address: EntityAddress;
  readonly entityPath: string;
  readonly entity: CatalogEntity;
}

/**
 * Every place to peek, in the order in which messages flow: an entity before its dead-letter queue, and before the entity it forwards to. A
 * message that moves on while the census is taken is then counted twice rather than missed.
 */
export function placesInFlowOrder(entities: readonly CatalogEntity[]): Place[] {
  const byPath = new Map(entities.map((entity) => [key(entityPathOf(entity.entity)), entity]));
  const visited = new Set<CatalogEntity>();
  const last: Place[] = [];
  const visit = (entity: CatalogEntity): void => {
    if (visited.has(entity)) return;
    visited.add(entity);
    if (isTopic(entity.entity)) for (const each of receivers(entity, entities)) visit(each);
    for (const target of [entity.forwardTo, entity.forwardDeadLetteredMessagesTo]) {
      const next = target === undefined ? undefined : byPath.get(key(target));
      if (next === undefined) continue;
      for (const each of receivers(next, entities)) visit(each);
    }
    last.push(...placesOf(entity).toReversed());
  };
  for (const entity of entities) visit(entity);
  return last.toReversed();
}

/** Messages that the broker counts and that were not peeked, by entity. */
export function hiddenIn(
  entities: readonly CatalogEntity[],
  places: readonly CensusPlace[],
): HiddenMessages[] {
  return entities.flatMap(({ entity, counts }) => {
    if (counts === undefined) return [];
    const entityPath = entityPathOf(entity);
    const hidden: HiddenMessages[] = [];
    const peeked = places.find((place) => place.entityPath === entityPath)?.peeked ?? 0;
    if (isTopic(entity) && counts.scheduled > peeked)
      hidden.push({ entityPath, kind: "scheduled-at-topic", count: counts.scheduled - peeked });
    if (counts.transfer > 0) hidden.push({ entityPath, kind: "in-transfer", count: counts.transfer });
    return hidden;
  });
}

/** The entities that receive what is sent to an entity: itself, or a topic's subscriptions. */
function receivers(entity: CatalogEntity, entities: readonly CatalogEntity[]): CatalogEntity[] {
  const name = entity.entity;
  if (!isTopic(name)) return [entity];
  return entities.filter(
    ({ entity: other }) =>
      "topic" in other && other.subscription !== undefined && key(other.topic) === key(name.topic),
  );
}

function placesOf(entity: CatalogEntity): Place[] {
  const name = entity.entity;
  const entityPath = entityPathOf(name);
  // A topic's own messages are the scheduled ones. They are peeked at its path, like those of a queue.
  if (isTopic(name))
    return [{ address: { queue: name.topic }, entityPath, entity: { ...entity, requiresSession: false } }];
  const subQueues: (SubQueue | undefined)[] = [undefined, "transferDeadLetter", "deadLetter"];
  return subQueues.map((subQueue) => ({
    address: subQueue === undefined ? (name as EntityAddress) : ({ ...name, subQueue } as EntityAddress),
    entityPath,
    entity,
  }));
}

function isTopic(name: EntityName): name is { readonly topic: string } {
  return "topic" in name && name.subscription === undefined;
}

/** Entity names are compared without regard to case. */
function key(path: string): string {
  return path.toLowerCase();
}
