import type { CellResult } from "./run-cell.js";

/** How long recovery may take, in milliseconds. */
export interface Bounds {
  readonly stallTimeoutMs: number;
  readonly answerTimeoutMs: number;
  readonly lockDurationMs: number;
}

/** For everything else that takes time: peeking, two requests, opening another link, and a busy machine. */
const slackMs = 10_000;

/**
 * Maximum time of a recovery: until a silent link is checked, until the response is overdue, and until the locks of messages that were sent
 * into a dead connection have expired.
 */
export function boundMs({ stallTimeoutMs, answerTimeoutMs, lockDurationMs }: Bounds): number {
  return stallTimeoutMs + answerTimeoutMs + lockDurationMs + slackMs;
}

/** The violation of a result; undefined if there is none. */
export function violationOf({ fault, kind, recoveryMs }: CellResult, bounds: Bounds): string | undefined {
  const limitMs = boundMs(bounds);
  if (recoveryMs !== undefined && recoveryMs <= limitMs) return undefined;
  const took = recoveryMs === undefined ? "did not recover" : `took ${recoveryMs.toFixed(0)} ms`;
  return `${kind}, ${fault}: ${took}; the limit is ${limitMs} ms`;
}

/** A table in Markdown: a row for each fault, a column for each kind of receiver. */
export function drawTable(watched: readonly CellResult[], unwatched: readonly CellResult[]): string {
  const kinds = [...new Set(watched.map(({ kind }) => kind))];
  const faults = [...new Set(watched.map(({ fault }) => fault))];
  const cell = (results: readonly CellResult[], fault: string, kind: string) => {
    const result = results.find((one) => one.fault === fault && one.kind === kind);
    return result === undefined ? "" : duration(result);
  };
  const rows = faults.map((fault) => {
    const cells = kinds.map((kind) => {
      const without = cell(unwatched, fault, kind);
      return `${cell(watched, fault, kind)}${without && ` (${without})`}`;
    });
    return `| ${[fault, ...cells].join(" | ")} |`;
  });
  return [`| fault | ${kinds.join(" | ")} |`, `|${" --- |".repeat(kinds.length + 1)}`, ...rows].join("\n");
}

function duration({ recoveryMs }: CellResult): string {
  return recoveryMs === undefined ? "never" : `${(recoveryMs / 1000).toFixed(1)} s`;
}
