import { cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { azureParts } from "./azure.js";
import { brokerComparisons } from "./broker.js";
import { censusResults } from "./census.js";
import { clientComparisons } from "./client.js";
import { type Comparison, compare, holds, type Result } from "./compare.js";
import { type ApartComparison, compareApart } from "./compare-apart.js";
import { engineParts } from "./engine.js";
import { formatComparisons } from "./formats.js";
import { memoryResults } from "./memory.js";
import { migrationComparisons } from "./migration.js";
import { chooseParts, type Parts } from "./parts.js";
import { installPeers, peerComparisons } from "./peers.js";
import { pipelineResults } from "./pipeline.js";
import { processingResults } from "./processing.js";
import { toTable } from "./report.js";
import { openRequestReply } from "./request-reply.js";
import { serverResults } from "./server/server.js";
import { storageResults } from "./storage.js";

// Measures waybill beside what it is measured against, in one run, and prints ratios: absolute times say little on another machine.

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    peers: { type: "boolean", default: false },
    rounds: { type: "string", default: "51" },
    help: { type: "boolean", default: false },
  },
});

const suites: Record<string, (part?: string) => Promise<Result[]>> = {
  pipeline: () => pipelineResults(Number(options.rounds)),
  formats: async () => compareAll("formats", await formatComparisons()),
  migration: async () => compareAll("migration", migrationComparisons()),
  census: censusResults,
  client: async () => compareAll("client", await clientComparisons()),
  broker: async () => compareAll("broker", await brokerComparisons()),
  "request-reply": async () => {
    await using bench = await openRequestReply();
    return await compareAll("request-reply", bench.comparisons);
  },
  engine: (part) => compareAllApart("engine", engineParts, part),
  memory: memoryResults,
  storage: storageResults,
  processing: () => processingResults(Number(options.rounds)),
  azure: (part) => compareAllApart("azure", azureParts, part),
  server: serverResults,
  peers: async () => {
    installPeers();
    return compareAll("peers", await peerComparisons());
  },
};

const help = `pnpm bench [suite …] [--json] [--peers] [--rounds N]

suites     ${Object.keys(suites).join(", ")}; all by default but peers
           one part of a suite: azure:send|settle|transport|subscribe|parsing,
           engine:cycles|locks|backlog|schedules|sessions|sessions-and-backlog, memory:process|queued,
           storage:rate-32|rate-1000|delay|delay-of-cycles|restart|churn|start-in-memory, server:raw|rhea|official|start
--json     prints the results as JSON, with date and machine
--peers    adds the suite of other libraries; installs them into bench/peers (190 MB) first
--rounds   pairs of samples for each figure, default 51; the median counts
`;

if (options.help) {
  console.log(help);
} else {
  const chosen =
    positionals.length > 0 ? positionals : Object.keys(suites).filter((name) => name !== "peers");
  if (options.peers && !chosen.includes("peers")) chosen.push("peers");
  const results: Result[] = [];
  for (const choice of chosen) {
    const [name = "", part] = choice.split(":");
    const suite = suites[name];
    if (suite === undefined)
      throw new TypeError(`There is no suite "${name}". Suites: ${Object.keys(suites).join(", ")}.`);
    results.push(...(await suite(part)));
  }
  console.log(options.json ? JSON.stringify({ ...surroundings(), results }, null, 2) : toTable(results));
  const missed = results.filter((result) => !holds(result)).length;
  if (!options.json)
    console.log(missed === 0 ? "\nEvery target holds." : `\n${missed} of ${results.length} targets missed.`);
  process.exitCode = missed === 0 ? 0 : 1;
}

/** Where and when it was measured. */
function surroundings() {
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus()[0]?.model.trim() ?? "unknown processor"}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB`,
    runtime: `Node ${process.versions.node} on ${process.platform}`,
    rounds: Number(options.rounds),
  };
}

async function compareAll(suite: string, comparisons: readonly Comparison[]): Promise<Result[]> {
  const results: Result[] = [];
  for (const comparison of comparisons) {
    console.error(`${suite}: ${comparison.name}`);
    results.push(await compare(suite, comparison, Number(options.rounds)));
  }
  return results;
}

async function compareAllApart(
  suite: string,
  parts: Parts<ApartComparison>,
  part: string | undefined,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const make of chooseParts(suite, parts, part)) {
    const comparison = await make();
    console.error(`${suite}: ${comparison.name}`);
    results.push(await compareApart(suite, comparison, Number(options.rounds)));
  }
  return results;
}
