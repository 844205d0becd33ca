import type { Census, CensusGroup } from "@waybill/migration/census";
import type { ExplorerContext } from "../options/explorer-options.js";

/** A census as a point of the charts: how many messages of each format and version wait in each entity. */
export type CensusPoint = ReturnType<typeof censusPoints>[number];

/** The messages of one entity, with its dead letters, of one format and version. */
export interface CensusCount {
  readonly entity: string;
  /** `avro`, `json`, `undeserializable`. */
  readonly format: string;
  readonly messageType: string | undefined;
  readonly messageVersion: number | undefined;
  readonly count: number;
}

/** A write plan, and its progress. */
export type PlanView = ReturnType<typeof planViews>[number];

/** The points of all censuses. */
export function censusPoints(censuses: readonly Census[]) {
  return censuses.map((census) => ({
    at: census.startedAt.toISOString(),
    counts: countsOf(census.groups),
    /** Entities that were not peeked to their end. */
    incomplete: census.places.filter(({ end }) => end !== "reached").map(({ entityPath }) => entityPath),
  }));
}

/** The state of every plan. */
export function planViews({ writePlans }: ExplorerContext, latest: Census | undefined) {
  return writePlans.map((plan) => ({
    messageType: plan.messageType.name,
    from: `${plan.from.serializer} version ${plan.from.version}`,
    to: `${plan.to.serializer} version ${plan.to.version}`,
    /** The percentage of the plan in this configuration. */
    percent: plan.percent,
    phase: plan.phase,
    /** The percentage of waiting messages in the new format; undefined when neither old nor new ones wait. */
    waitingPercent: latest && waitingPercent(latest, plan),
  }));
}

function waitingPercent(
  { groups }: Census,
  { messageType, from, to }: ExplorerContext["writePlans"][number],
): number | undefined {
  const countOf = (target: typeof from) =>
    groups
      .filter(
        (group) =>
          group.messageType === messageType.name &&
          group.serializer === target.serializer &&
          group.messageVersion === target.version,
      )
      .reduce((sum, { count }) => sum + count, 0);
  const counts = [countOf(from), countOf(to)] as const;
  const all = counts[0] + counts[1];
  return all === 0 ? undefined : (counts[1] * 100) / all;
}

function countsOf(groups: readonly CensusGroup[]): CensusCount[] {
  const counts = new Map<string, CensusCount>();
  for (const { entityPath: entity, messageType, messageVersion, status, serializer, count } of groups) {
    const format =
      status === "decoded"
        ? (serializer ?? "AMQP value")
        : status === "undeserializable"
          ? "undeserializable"
          : status;
    const key = JSON.stringify([entity, format, messageType, messageVersion]);
    const known = counts.get(key)?.count ?? 0;
    counts.set(key, { entity, format, messageType, messageVersion, count: known + count });
  }
  return [...counts.values()];
}
