import { subQueuePathOf } from "@waybill/core/transport";
import type { Census, CensusGroup } from "../census/census.js";
import { later } from "../census/tally.js";
import { needs } from "./known-target.js";
import type { RetirementTarget } from "./retirement-evidence.js";
import {
  against,
  messages,
  missing,
  type RetirementObstacle,
  type RetirementReason,
} from "./retirement-reason.js";

/** The reasons that waiting messages are. */
export function messageReasons({ groups }: Census, target: RetirementTarget): RetirementReason[] {
  const counted = new Map<string, Counted>();
  for (const group of groups) {
    const obstacle = obstacleOf(group, target);
    if (obstacle === undefined) continue;
    const place = placeOf(group);
    const key = `${obstacle} ${place}`;
    const known = counted.get(key) ?? { obstacle, place, count: 0, expiries: [] };
    known.count += group.count;
    known.expiries.push(group.latestExpiryAt);
    counted.set(key, known);
  }
  return Array.from(counted.values(), reasonOf);
}

/** The entity with its sub-queue. */
export function placeOf({ entityPath, subQueue }: Pick<CensusGroup, "entityPath" | "subQueue">): string {
  return subQueuePathOf(entityPath, subQueue);
}

/** When the last of some messages expires; undefined if one never does, or if there are none. */
export function lastExpiry(expiries: readonly (Date | undefined)[]): Date | undefined {
  return expiries.includes(undefined) ? undefined : expiries.reduce(later, undefined);
}

interface Counted {
  readonly obstacle: keyof typeof messageTexts;
  readonly place: string;
  readonly expiries: (Date | undefined)[];
  count: number;
}

function reasonOf({ obstacle, place, count, expiries }: Counted): RetirementReason {
  const { one, many, todo } = messageTexts[obstacle];
  const sentence = `${messages(count)} in ${place} ${count === 1 ? one : many}.`;
  if (obstacle !== "waiting") return missing(obstacle, sentence, todo, { place, count });
  const until = lastExpiry(expiries);
  const wait =
    until === undefined ? "" : `wait until ${until.toISOString()}, when the last of them expires, or `;
  return against(obstacle, sentence, `${wait}${todo}`, { place, count, until });
}

const messageTexts = Object.freeze({
  waiting: {
    one: "needs it",
    many: "need it",
    todo: "receive them, and repair or remove the dead-lettered ones",
  },
  undeserializable: {
    one: "cannot be read by any serializer of the chain",
    many: "cannot be read by any serializer of the chain",
    todo: "repair or remove them",
  },
  unavailable: {
    one: "could not be checked because something was unreachable",
    many: "could not be checked because something was unreachable",
    todo: "take the census again when it can be reached",
  },
  "not-sampled": {
    one: "was counted and not read",
    many: "were counted and not read",
    todo: "take the census without sampling",
  },
} as const satisfies Partial<Record<RetirementObstacle, Record<"one" | "many" | "todo", string>>>);

function obstacleOf(group: CensusGroup, target: RetirementTarget): keyof typeof messageTexts | undefined {
  if (group.isOwnRecord) return undefined;
  if (needs(group, target)) return "waiting";
  return group.status === "decoded" ? undefined : group.status;
}
