import { useEffect, useRef, useState } from "preact/hooks";
import type { EntityView } from "./types.js";
import type { Live } from "./use-live.js";

/** The counts at one moment while the page was open. */
export interface Sample {
  readonly at: number;
  readonly active: number | undefined;
  readonly deadLetters: number | undefined;
  /** Active messages by the path of the entity. */
  readonly byPath: ReadonlyMap<string, number>;
}

const intervalMs = 10_000;
const hourMs = 3_600_000;

/** The counts of the last hour, taken every ten seconds while the page is open. */
export function useSamples(live: Live): readonly Sample[] {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const latest = useRef(live);
  latest.current = live;
  const isKnown = live.entities !== undefined;
  useEffect(() => {
    const take = () => {
      const { entities, error } = latest.current;
      if (entities === undefined || error !== undefined) return;
      const sample = sampleOf(entities);
      setSamples((before) => [...before.filter(({ at }) => at > sample.at - hourMs), sample]);
    };
    take();
    const timer = setInterval(take, intervalMs);
    return () => clearInterval(timer);
  }, [isKnown]);
  return samples;
}

/** By how much the active messages of an entity changed per minute, over the last minute; undefined until that is known. */
export function changePerMinute(samples: readonly Sample[], path: string): number | undefined {
  const last = samples.at(-1);
  if (last === undefined) return undefined;
  const first = samples.find(({ at }) => at >= last.at - 60_000);
  const [before, after] = [first?.byPath.get(path), last.byPath.get(path)];
  if (first === undefined || first === last || before === undefined || after === undefined) return undefined;
  return Math.round(((after - before) * 60_000) / (last.at - first.at));
}

/** The sum of a count; undefined if one of them is not known, which is not 0. */
export function sumOf(
  entities: readonly EntityView[],
  of: (counts: NonNullable<EntityView["counts"]>) => number,
): number | undefined {
  let sum = 0;
  for (const { counts } of entities) {
    if (counts === undefined) return undefined;
    sum += of(counts);
  }
  return entities.length === 0 ? undefined : sum;
}

function sampleOf(entities: readonly EntityView[]): Sample {
  return {
    at: Date.now(),
    active: sumOf(entities, ({ active }) => active),
    deadLetters: sumOf(entities, ({ deadLetter }) => deadLetter),
    byPath: new Map(
      entities.flatMap(({ path, counts }) => (counts === undefined ? [] : [[path, counts.active]])),
    ),
  };
}
