import { printed } from "./harness/child.js";
import type { Probe, Suite } from "./harness/probe.js";

interface Printed {
  readonly seconds: number;
  /** The growth in bytes after every 10,000 messages. */
  readonly heap: readonly number[];
  readonly resident: readonly number[];
}

/** What a census of a long durable queue takes: its time, and whether its memory grows with the queue. */
export const censusSuite: Suite = { mixed: () => census };

const limit = (figure: string, name: string, target: number) =>
  ({ figure, name, target, unit: "figure" }) as const;
const census: Probe = {
  rounds: () => 3,
  lines: [
    limit("seconds", "seconds for a census of 100,000 mixed messages of 1 KB", 60),
    limit("heap", "MB by which its heap grows from the 10,000th to the 100,000th message", 2),
    limit("resident", "MB by which its RSS without mapped files grows from there to there", 8),
  ],
  open: () => ({
    sides: {
      async subject() {
        const program = new URL("./census-probe.js", import.meta.url);
        const { seconds, heap, resident } = await printed<Printed>(program);
        return { seconds, heap: grownMegabytes(heap), resident: grownMegabytes(resident) };
      },
    },
  }),
};

/** The largest rise from any sample to a later one, so that a high first sample hides no growth. */
function grownMegabytes(samples: readonly number[]): number {
  return Math.max(...samples.map((low, index) => Math.max(...samples.slice(index)) - low)) / 1e6;
}
