import type { VNode } from "preact";
import { countText, timeText } from "../data/format.js";
import type { CensusCount, CensusPoint } from "../data/types.js";

interface CensusChartProps {
  readonly entity: string;
  readonly points: readonly CensusPoint[];
  /** Every series of the page, so that a series has the same colour in all charts. */
  readonly all: readonly string[];
}

const width = 640;
const height = 160;
/** How many colours there are; further series share the last one. */
const maxSeries = 8;
/** How many censuses fit; the newest are shown. */
const maxBars = 60;

/** A bar for each census, one part for each format and version; the numbers are in a table below. */
export function CensusChart({ entity, points: censuses, all }: CensusChartProps): VNode {
  const points = censuses.slice(-maxBars).map(({ at, counts }) => ({ at, series: seriesOf(entity, counts) }));
  const names = [...new Set(points.flatMap(({ series }) => [...series.keys()]))].sort();
  const most = Math.max(1, ...points.map(({ series }) => sum([...series.values()])));
  const step = width / Math.max(points.length, 8);
  const latest = points.at(-1)?.series;
  return (
    <>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        class="chart"
        role="img"
        aria-label={`Waiting messages in ${entity}, over time`}
      >
        {points.map(({ at, series }, bar) => {
          let top = height;
          return names.map((name) => {
            const size = ((series.get(name) ?? 0) / most) * (height - 4);
            top -= size;
            return (
              <rect
                key={name}
                class={colorOf(name, all)}
                x={bar * step + 2}
                y={top}
                width={Math.max(step - 4, 1)}
                height={size}
              >
                <title>{`${timeText(at)}: ${countText(series.get(name) ?? 0)} ${name}`}</title>
              </rect>
            );
          });
        })}
      </svg>
      <ul class="legend">
        {names.map((name) => (
          <li key={name}>
            <span class={`swatch ${colorOf(name, all)}`} /> {name}: {countText(latest?.get(name) ?? 0)}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The names of all series, of every entity. */
export function seriesNames(points: readonly CensusPoint[]): string[] {
  return [...new Set(points.flatMap(({ counts }) => counts.map(nameOf)))].sort();
}

function colorOf(name: string, all: readonly string[]): string {
  if (name.startsWith("undeserializable")) return "series-undeserializable";
  return `series-${Math.min(all.indexOf(name), maxSeries - 1)}`;
}

/** Counts by format, and version if there is one. */
function seriesOf(entity: string, counts: CensusPoint["counts"]): Map<string, number> {
  const series = new Map<string, number>();
  for (const count of counts) {
    if (count.entity !== entity) continue;
    const name = nameOf(count);
    series.set(name, (series.get(name) ?? 0) + count.count);
  }
  return series;
}

function nameOf({ format, messageVersion }: CensusCount): string {
  return messageVersion === undefined ? format : `${format} v${messageVersion}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
