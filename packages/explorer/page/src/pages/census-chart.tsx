import type { VNode } from "preact";
import { countText, timeText } from "../data/format.js";
import type { CensusCount, CensusPoint } from "../data/types.js";

interface CensusChartProps {
  /** The entity to chart; undefined for the whole namespace. */
  readonly entity: string | undefined;
  readonly points: readonly CensusPoint[];
}

const width = 640;
const height = 160;
/** Room for the numbers of the axis on the left, and for the times below. */
const left = 56;
const bottom = 20;
/** Room for half a number above the highest line. */
const top = 10;
const maxBarWidth = 24;
/** How many censuses fit; the newest are shown. */
const maxBars = 60;

interface Series {
  readonly format: string;
  readonly version: number | undefined;
  readonly count: number;
}

/**
 * A group of bars for each census, one bar for each format and version. The scale is logarithmic, so that 1 is seen beside 300,000; the exact
 * numbers of the last census are below.
 */
export function CensusChart({ entity, points: censuses }: CensusChartProps): VNode {
  const points = censuses.slice(-maxBars).map(({ at, counts }) => ({ at, series: seriesOf(counts, entity) }));
  const names = [...new Set(points.flatMap(({ series }) => [...series.keys()]))].sort();
  const most = Math.max(
    1,
    ...points.flatMap(({ series }) => Array.from(series.values(), ({ count }) => count)),
  );
  const decades = Math.ceil(Math.log10(most)) + 1;
  const step = (width - left) / Math.max(points.length, 1);
  const bar = Math.min(Math.max((step - 6) / Math.max(names.length, 1), 0.5), maxBarWidth);
  const floor = height - bottom;
  // 1 is one decade above the floor: 0 has no bar.
  const heightOf = (count: number) => (count === 0 ? 0 : ((Math.log10(count) + 1) / decades) * (floor - top));
  const [first, last] = [points[0], points.at(-1)];
  return (
    <>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        class="chart"
        role="img"
        aria-label={`Waiting messages in ${entity ?? "the namespace"}, over time`}
      >
        {Array.from({ length: decades }, (_, decade) => {
          const y = floor - heightOf(10 ** decade);
          return (
            <g key={decade}>
              <line x1={left} x2={width} y1={y} y2={y} />
              <text x={left - 6} y={y + 4} text-anchor="end">
                {countText(10 ** decade)}
              </text>
            </g>
          );
        })}
        {points.map(({ at, series }, place) =>
          names.map((name, index) => {
            const one = series.get(name);
            if (one === undefined) return null;
            return (
              <rect
                key={name}
                class={colorOf(one.format)}
                fill-opacity={shadeOf(one.version)}
                x={left + place * step + index * bar + 2}
                y={floor - heightOf(one.count)}
                width={bar}
                height={heightOf(one.count)}
              >
                <title>{`${timeText(at)}: ${countText(one.count)} ${name}`}</title>
              </rect>
            );
          }),
        )}
        <text x={left} y={height - 5}>
          {timeText(first?.at)}
        </text>
        {points.length < 2 ? null : (
          <text x={width} y={height - 5} text-anchor="end">
            {timeText(last?.at)}
          </text>
        )}
      </svg>
      <ul class="legend">
        {names.map((name) => {
          const one = points.findLast(({ series }) => series.has(name))?.series.get(name);
          return (
            <li key={name}>
              <svg viewBox="0 0 10 10" class="swatch" aria-hidden="true">
                <rect
                  class={colorOf(one?.format ?? "")}
                  fill-opacity={shadeOf(one?.version)}
                  width="10"
                  height="10"
                />
              </svg>{" "}
              {name}: {countText(last?.series.get(name)?.count ?? 0)}
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** Each format of waybill has a colour of its own, whatever else is charted; all others share the last one. */
const colors: ReadonlyMap<string, number> = new Map(
  ["json", "avro", "msgpack", "protobuf", "cbor", "xml", "dotnet-binary"].map((format, index) => [
    format,
    index,
  ]),
);
const colorCount = 8;

function colorOf(format: string): string {
  if (format === "undeserializable") return "series-undeserializable";
  const own = colors.get(format);
  return `series-${own ?? colorCount - 1}`;
}

/** Versions 1, 2, 3 … are shades of the colour of their format, the later the fuller; without a version it is full. */
function shadeOf(version: number | undefined): number {
  return version === undefined ? 1 : 1 - 0.6 / Math.max(version, 1);
}

/** Counts by format, and version if there is one. */
function seriesOf(counts: CensusPoint["counts"], entity: string | undefined): Map<string, Series> {
  const series = new Map<string, Series>();
  for (const count of counts) {
    if (entity !== undefined && count.entity !== entity) continue;
    const name = nameOf(count);
    const before = series.get(name)?.count ?? 0;
    series.set(name, {
      format: count.format,
      version: count.messageVersion,
      count: before + count.count,
    });
  }
  return series;
}

function nameOf({ format, messageVersion }: CensusCount): string {
  return messageVersion === undefined ? format : `${format} v${messageVersion}`;
}
