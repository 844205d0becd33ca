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
  return inFlowOrder(entities, flowOf(entities)).flatMap(placesOf);
}

/**
 * The entities in waves: messages move from an entity only to those of later waves. The entities of one wave can be counted in any order, and at
 * the same time, and no message that moves on is missed.
 */
export function wavesInFlowOrder(entities: readonly CatalogEntity[]): CatalogEntity[][] {
  const flow = flowOf(entities);
  const waves: CatalogEntity[][] = [];
  const earliest = new Map<CatalogEntity, number>();
  for (const entity of inFlowOrder(entities, flow)) {
    const wave = earliest.get(entity) ?? 0;
    waves[wave] = [...(waves[wave] ?? []), entity];
    for (const next of flow(entity)) earliest.set(next, Math.max(earliest.get(next) ?? 0, wave + 1));
  }
  return waves;
}

/** Messages that the broker counts and that were not peeked, by entity. */
export function hiddenIn(
  entities: readonly CatalogEntity[],
  places: readonly CensusPlace[],
): HiddenMessages[] {
  const peekedAt = new Map(
    places.flatMap(({ entityPath, subQueue, peeked }) =>
      subQueue === undefined ? [[entityPath, peeked] as const] : [],
    ),
  );
  return entities.flatMap(({ entity, counts }) => {
    if (counts === undefined) return [];
    const entityPath = entityPathOf(entity);
    const hidden: HiddenMessages[] = [];
    const peeked = peekedAt.get(entityPath) ?? 0;
    if (isTopic(entity) && counts.scheduled > peeked)
      hidden.push({ entityPath, kind: "scheduled-at-topic", count: counts.scheduled - peeked });
    if (counts.transfer > 0) hidden.push({ entityPath, kind: "in-transfer", count: counts.transfer });
    return hidden;
  });
}

/** Tells to which entities messages move from an entity. */
type Flow = (entity: CatalogEntity) => readonly CatalogEntity[];

function flowOf(entities: readonly CatalogEntity[]): Flow {
  const byPath = new Map(entities.map((entity) => [key(entityPathOf(entity.entity)), entity]));
  const subscriptions = new Map<string, CatalogEntity[]>();
  for (const each of entities) {
    const { entity } = each;
    if (!("topic" in entity) || entity.subscription === undefined) continue;
    add(subscriptions, key(entity.topic), each);
  }
  /** The entities that receive what is sent to an entity: itself, or a topic's subscriptions. */
  const receivers = (each: CatalogEntity): readonly CatalogEntity[] =>
    isTopic(each.entity) ? (subscriptions.get(key(each.entity.topic)) ?? []) : [each];
  return (each) => {
    const targets = [each.forwardTo, each.forwardDeadLetteredMessagesTo].flatMap((path) => {
      const next = path === undefined ? undefined : byPath.get(key(path));
      return next === undefined ? [] : receivers(next);
    });
    return isTopic(each.entity) ? [...receivers(each), ...targets] : targets;
  };
}

/** Each entity before those to which its messages move, unless they forward in a circle. */
function inFlowOrder(entities: readonly CatalogEntity[], flow: Flow): CatalogEntity[] {
  const visited = new Set<CatalogEntity>();
  const last: CatalogEntity[] = [];
  const visit = (entity: CatalogEntity): void => {
    if (visited.has(entity)) return;
    visited.add(entity);
    for (const next of flow(entity)) visit(next);
    last.push(entity);
  };
  for (const entity of entities) visit(entity);
  return last.toReversed();
}

function add<Key>(lists: Map<Key, CatalogEntity[]>, name: Key, entity: CatalogEntity): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [entity]);
  else list.push(entity);
}

/** The places of one entity, in flow order. */
export function placesOf(entity: CatalogEntity): Place[] {
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
