import { useEffect, useRef, useState } from "preact/hooks";
import type { EntityView } from "../data/types.js";
import type { Live } from "../data/use-live.js";
import type { Counted } from "./rates.js";

/** The counts at one moment while the page was open. */
export interface Sample extends Counted {
  readonly active: number | undefined;
  readonly deadLetters: number | undefined;
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
    byPath: new Map(entities.flatMap(({ path, counts }) => (counts === undefined ? [] : [[path, counts]]))),
  };
}
