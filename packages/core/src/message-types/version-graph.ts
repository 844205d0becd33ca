import { WaybillError } from "../errors/error.js";
import type { VersionStep } from "./message-type.js";

/** The versions of one message type and the steps between them, from its definition. */
export interface VersionGraph {
  readonly messageType: string;
  readonly current: number;
  /** Ascending, the current version included. */
  readonly versions: readonly number[];
  /** Versions of which no message was ever sent. */
  readonly unused: ReadonlySet<number>;
  /** Versions that were sent once and are no longer read. */
  readonly removed: ReadonlySet<number>;
  /** At most one upcaster per source version. */
  readonly upcasts: ReadonlyMap<number, VersionStep>;
  /** At most one downcaster per source version. */
  readonly downcasts: ReadonlyMap<number, VersionStep>;
}

/**
 * The steps from each version to the current one. Throws `configuration-invalid` when they do not lead there: for a gap, a cycle, or a
 * dead end.
 */
export function upcastWays(graph: VersionGraph): ReadonlyMap<number, readonly VersionStep[]> {
  for (const step of graph.upcasts.values()) checkUpcast(graph, step);
  refuseMissingVersions(graph);
  return new Map(graph.versions.map((version) => [version, walkUp(graph, version)]));
}

/** The steps from the current version to an older one; undefined if they do not lead there. Throws `configuration-invalid` for a downcaster to a newer version. */
export function downcastWay(graph: VersionGraph, version: number): readonly VersionStep[] | undefined {
  const steps: VersionStep[] = [];
  let at = graph.current;
  while (at > version) {
    const step = graph.downcasts.get(at);
    if (step === undefined) return undefined;
    if (!graph.versions.includes(step.to) || step.to >= at) {
      throw unsound(graph, `the downcaster of version ${at} leads to ${step.to}, which is no older version`);
    }
    steps.push(step);
    at = step.to;
  }
  return at === version ? steps : undefined;
}

/**
 * The version of messages without a version; undefined if that is not known. Never the oldest that is left: what came before it would be
 * read as what it is not. Throws `configuration-invalid` if the definition begins above version 1 and says nothing of the versions below,
 * `TypeError` for a version that it does not have.
 */
export function versionOfUnversioned(graph: VersionGraph, given: number | undefined): number | undefined {
  const { messageType, versions, unused, removed } = graph;
  if (given !== undefined) {
    if (versions.includes(given) || removed.has(given)) return given;
    throw new TypeError(
      `defineMessage("${messageType}"): unversioned names ${given}, which is no version of it.`,
    );
  }
  const oldest = versions[0] ?? graph.current;
  const below = [...unused, ...removed].filter((version) => version < oldest);
  if (new Set(below).size < oldest - 1) {
    throw unsound(
      graph,
      `it begins at version ${oldest}, and nothing says what came before, so a message without a version could be read as what it is ` +
        `not; list the versions below in removed if they were ever sent, or in unused, or set unversioned`,
    );
  }
  const removedBelow = below.filter((version) => removed.has(version));
  if (removedBelow.length > 0) return Math.min(...removedBelow);
  return oldest === 1 ? 1 : undefined;
}

function checkUpcast(graph: VersionGraph, { from, to }: VersionStep): void {
  if (from === graph.current) {
    throw unsound(graph, `version ${from} is the current one and has an upcaster all the same`);
  }
  if (!graph.versions.includes(to)) {
    throw unsound(graph, `the upcaster of version ${from} leads to ${to}, which is not among its versions`);
  }
}

function refuseMissingVersions({ versions, unused, removed, ...graph }: VersionGraph): void {
  for (let version = versions[0] ?? graph.current; version < graph.current; version++) {
    if (versions.includes(version) || unused.has(version) || removed.has(version)) continue;
    throw unsound(
      graph,
      `there is a gap: nothing is known of version ${version}, so no message of it could be read; ` +
        `give it a schema and an upcaster, or list it in unused if none was ever sent, in removed if they were`,
    );
  }
}

function walkUp(graph: VersionGraph, version: number): readonly VersionStep[] {
  const steps: VersionStep[] = [];
  const way = [version];
  let at = version;
  while (at !== graph.current) {
    const step = graph.upcasts.get(at);
    if (step === undefined) {
      throw unsound(
        graph,
        way.length === 1
          ? `version ${at} has no upcaster, so its messages could not be read; add upcasters[${at}]`
          : `the way up ${way.join(" → ")} is a dead end; add upcasters[${at}]`,
      );
    }
    at = step.to;
    if (way.includes(at)) throw unsound(graph, `its upcasters form a cycle: ${[...way, at].join(" → ")}`);
    way.push(at);
    steps.push(step);
  }
  return steps;
}

function unsound({ messageType }: Pick<VersionGraph, "messageType">, text: string): WaybillError {
  return new WaybillError(
    "configuration-invalid",
    `The message type "${messageType}" is not sound: ${text}.`,
  );
}
