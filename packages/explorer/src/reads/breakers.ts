import { systemScheduler } from "@waybill/core/transport";
import { liveBeacons } from "@waybill/migration/tools";
import type { ExplorerContext } from "../options/explorer-options.js";

/** The circuit breakers of an entity, as its running readers announce them. */
export interface BreakerView {
  /** The queue or subscription. */
  readonly path: string;
  /** How many running instances announce their circuits. */
  readonly instances: number;
  readonly open: readonly OpenCircuitView[];
}

/** A circuit that is open. */
export interface OpenCircuitView {
  readonly reader: string;
  readonly instance: string;
  readonly messageType: string | undefined;
  readonly format: string | undefined;
  readonly since: string;
}

/** How many open circuits of an entity are listed. */
const maxListed = 20;

/** The breakers that the beacons tell of. Entities that none tells of are absent: of those nothing is known. */
export async function listBreakers(
  { beacons, transport }: Pick<ExplorerContext, "beacons" | "transport">,
  abortSignal?: AbortSignal,
): Promise<BreakerView[]> {
  if (beacons === undefined) return [];
  const nowMs = (transport.scheduler ?? systemScheduler).now();
  const { present } = await liveBeacons(beacons, { nowMs }, { abortSignal });
  const found = new Map<string, { path: string; instances: number; open: OpenCircuitView[] }>();
  for (const { reader, instance, entities, circuits } of present) {
    if (circuits === undefined) continue;
    for (const path of entities) {
      const breaker = found.get(path.toLowerCase()) ?? { path, instances: 0, open: [] };
      found.set(path.toLowerCase(), breaker);
      breaker.instances++;
      for (const { entity, messageType, format, since } of circuits)
        if (entity.toLowerCase() === path.toLowerCase() && breaker.open.length < maxListed)
          breaker.open.push({ reader, instance, messageType, format, since });
    }
  }
  return [...found.values()];
}
