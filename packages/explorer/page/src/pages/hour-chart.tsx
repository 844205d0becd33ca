import type { VNode } from "preact";
import { countText } from "../data/format.js";
import type { Sample } from "../overview/use-samples.js";

interface HourChartProps {
  readonly title: string;
  readonly samples: readonly Sample[];
  of(sample: Sample): number | undefined;
}

const width = 360;
const height = 60;
const hourMs = 3_600_000;
/** A shorter line would be a dot: a text stands there instead. */
const shortestMs = 60_000;

/** A count over the last hour, as far as the page was open; its right end is now. */
export function HourChart({ title, samples, of }: HourChartProps): VNode {
  const end = samples.at(-1)?.at ?? 0;
  const known = samples.flatMap((sample) => {
    const count = of(sample);
    return count === undefined ? [] : [{ at: sample.at, count }];
  });
  const most = Math.max(1, ...known.map(({ count }) => count));
  const points = known.map(({ at, count }) => [
    width - ((end - at) / hourMs) * width,
    height - 2 - (count / most) * (height - 4),
  ]);
  const [last] = points.slice(-1);
  const isLine = end - (known[0]?.at ?? end) >= shortestMs;
  return (
    <figure class="hour">
      <figcaption>
        {title}, last hour: {known.length === 0 ? "–" : `at most ${countText(most)}`}
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        class="hour-chart"
        role="img"
        aria-label={`${title}, last hour`}
      >
        {isLine ? (
          <polyline points={points.map((point) => point.join(",")).join(" ")} />
        ) : (
          <text x={width / 2} y={height / 2 + 4}>
            fills while this page is open
          </text>
        )}
        {isLine && last !== undefined ? <circle cx={(last[0] ?? 0) - 2} cy={last[1]} r="2" /> : null}
      </svg>
    </figure>
  );
}
