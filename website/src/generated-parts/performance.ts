import { readFileSync } from "node:fs";
import { type Bound, figure, reaches, sign } from "waybill-harness/figures.js";

interface BenchFile {
  readonly date: string;
  readonly machine: string;
  readonly runtime: string;
  readonly results: readonly BenchResult[];
}

interface BenchResult {
  readonly suite: string;
  readonly name: string;
  readonly rounds: number;
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly target: number;
  readonly bound: Bound;
  /** Of a line whose target is out of reach: what must hold meanwhile, and what stands in the way. */
  readonly shortfall?: { readonly mustHold?: number; readonly reason: string };
}

/** The figures of the last `pnpm bench --json` that was kept, with date and machine. */
export function drawPerformance(root: string): string {
  const bench: BenchFile = JSON.parse(readFileSync(`${root}bench/results.json`, "utf8"));
  const suites = [...new Set(bench.results.map(({ suite }) => suite))];
  return [
    `Measured on ${bench.date}: ${bench.machine}, ${bench.runtime}. Each figure is the median of its rounds.`,
    ...suites.map((suite) => drawSuite(suite, bench.results)),
  ].join("\n\n");
}

/** Each suite of the bench, with what it is measured against. */
const baselines: Readonly<Record<string, string>> = {
  pipeline:
    "Reading and writing bodies, against the bare libraries: `JSON`, avsc and msgpackr; and a pipeline over its serializer.",
  formats: "The other formats, against what a user would compare them with.",
  migration: "What types with versions, write plans and shadow checks add to writing an order of 2 KB.",
  census: "A census of 100,000 messages: seconds, and by how many MB its memory grows.",
  client: "What observability and claim checks add when they have nothing to do.",
  broker: "The broker in the process, against `JSON.stringify` and `JSON.parse` of the same bodies alone.",
  "request-reply": "A request and its reply, over one message that is sent, received and completed.",
  engine: "The broker's engine without client and serializer, against a trivial queue that only awaits.",
  memory: "The memory of queued messages over their bytes, in processes of their own.",
  storage:
    "The durable broker, against puts into the bare store (LMDB), and its disk space, delays and start.",
  processing: "What sessions and the circuit breaker add to receiving.",
  azure:
    "waybill over the official SDK, against the official SDK alone, both with a broker in another process.",
  server:
    "The broker over AMQP, against RabbitMQ's quorum queues and a minimal server made of rhea, with the same clients.",
  peers: "Reading Avro of an older schema, against other libraries.",
};

function drawSuite(suite: string, results: readonly BenchResult[]): string {
  const lines = results.filter((result) => result.suite === suite);
  const rows = lines.map(({ name, rounds, median, min, max, target, bound }) => {
    return `| ${name.replaceAll("|", "\\|")} | ${figure(median)} | ${figure(min)} – ${figure(max)} | ${rounds} | ${sign(bound)} ${target} |`;
  });
  const baseline = baselines[suite];
  if (baseline === undefined)
    throw new Error(`Say in performance.ts what the suite "${suite}" is measured against.`);
  return [
    `### ${suite}`,
    "",
    baseline,
    "",
    "| what | ratio | min – max | rounds | target |",
    "|---|---|---|---|---|",
    ...rows,
    ...drawShort(lines),
  ].join("\n");
}

/** What stands in the way of the lines that do not reach their targets. */
function drawShort(lines: readonly BenchResult[]): string[] {
  const short = lines
    .filter(({ median, target, bound }) => !reaches(median, bound, target))
    .map((line) => `- *${line.name}*: ${whyShort(line)}`);
  return short.length === 0 ? [] : ["", "Short of the target, and what stands in the way:", "", ...short];
}

/** The reason, and whether the line reaches what must hold meanwhile. */
function whyShort({ median, bound, shortfall }: BenchResult): string {
  if (shortfall === undefined) return "missed in this run.";
  const { mustHold, reason } = shortfall;
  if (mustHold === undefined) return `${reason}.`;
  const missed = reaches(median, bound, mustHold) ? "" : ", and did not in this run";
  return `${reason}. Meanwhile, ${sign(bound)} ${mustHold} must hold${missed}.`;
}
