import { cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { azureSuite } from "./azure.js";
import { brokerSuite } from "./broker.js";
import { censusSuite } from "./census.js";
import { clientSuite } from "./client.js";
import { engineSuite } from "./engine.js";
import { formatsSuite } from "./formats.js";
import { type Accepted, describeFallen, measureAgainst, readAccepted } from "./harness/accepted.js";
import { holds, measure, type Result } from "./harness/measure.js";
import type { Suite } from "./harness/probe.js";
import { toTable } from "./harness/report.js";
import { memorySuite } from "./memory.js";
import { migrationSuite } from "./migration.js";
import { peersSuite } from "./peers.js";
import { pipelineSuite } from "./pipeline.js";
import { processingSuite } from "./processing.js";
import { requestReplySuite } from "./request-reply.js";
import { serverSuite } from "./server/server.js";
import { storageSuite } from "./storage.js";

// Measures waybill beside what it is measured against, in one run, and prints ratios: absolute times say little on another machine.

/** Measurements of minutes in processes of their own, which take their own options. */
const programs: Readonly<Record<string, () => Promise<unknown>>> = {
  amqp: () => import("./amqp.js"),
  port: () => import("./one-port.js"),
  work: () => import("./shared-work.js"),
  contracts: () => import("./contracts.js"),
};

const program = programs[process.argv[2] ?? ""];
if (program !== undefined) {
  process.argv.splice(2, 1);
  await program();
  process.exit();
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    peers: { type: "boolean", default: false },
    rounds: { type: "string", default: "51" },
    help: { type: "boolean", default: false },
  },
});

const suites: Readonly<Record<string, Suite>> = {
  pipeline: pipelineSuite,
  formats: formatsSuite,
  migration: migrationSuite,
  census: censusSuite,
  client: clientSuite,
  broker: brokerSuite,
  "request-reply": requestReplySuite,
  engine: engineSuite,
  memory: memorySuite,
  storage: storageSuite,
  processing: processingSuite,
  azure: azureSuite,
  server: serverSuite,
  peers: peersSuite,
};

const help = `pnpm bench [suite …] [--json] [--peers] [--rounds N]

suites     ${Object.keys(suites).join(", ")}; all by default but peers
           one part of a suite:
${Object.entries(suites)
  .map(([name, suite]) => `           ${name}:${Object.keys(suite).join("|")}`)
  .join("\n")}
--json     prints the results as JSON, with date and machine
--check    fails only if a line is more than 5 % worse than in bench/results.json, three times; run it where those were measured, on a quiet machine
--peers    adds the suite of other libraries; installs them into bench/peers (190 MB) first
amqp, port, work alone run for minutes: connections and messages over AMQP, over one port beside other protocols, and a census by 1, 2 and 4 processes
contracts  alone: the time of a contract check of 200 message types
--rounds   pairs of samples for each figure, default 51; the median counts
`;

if (options.help) {
  console.log(help);
} else {
  const chosen =
    positionals.length > 0 ? positionals : Object.keys(suites).filter((name) => name !== "peers");
  if (options.peers && !chosen.includes("peers")) chosen.push("peers");
  const accepted = options.check ? readAccepted() : undefined;
  if (accepted !== undefined) console.error(`accepted on ${accepted.date}: ${accepted.machine}`);
  const results: Result[] = [];
  for (const choice of chosen) {
    const [name = "", part] = choice.split(":");
    for (const makeProbes of partsOf(name, part))
      for (const probe of [await makeProbes()].flat()) {
        const measureOnce = () => measure(name, probe, Number(options.rounds));
        results.push(...(await (accepted ? measureAgainst(accepted, measureOnce) : measureOnce())));
      }
  }
  console.log(options.json ? JSON.stringify({ ...surroundings(), results }, null, 2) : toTable(results));
  process.exitCode = accepted === undefined ? reportMissed(results) : reportFallen(results, accepted);
}

/** Returns the exit code: 0 if every target holds. */
function reportMissed(results: readonly Result[]): number {
  const missed = results.filter((result) => !holds(result)).length;
  if (!options.json)
    console.log(missed === 0 ? "\nEvery target holds." : `\n${missed} of ${results.length} targets missed.`);
  return missed === 0 ? 0 : 1;
}

/** Returns the exit code: 0 if no line is worse than the accepted figures. */
function reportFallen(results: readonly Result[], accepted: Accepted): number {
  const fallen = describeFallen(results, accepted);
  console.error(
    fallen.length === 0 ? "No line has fallen." : ["More than 5 % worse:", ...fallen].join("\n  "),
  );
  return fallen.length === 0 ? 0 : 1;
}

/** The machine and date of the measurement. */
function surroundings() {
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus()[0]?.model.trim() ?? "unknown processor"}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB`,
    runtime: `Node ${process.versions.node} on ${process.platform}`,
  };
}

/** One part of a suite, or all in order. Throws `TypeError` for an unknown suite or part. */
function partsOf(name: string, part: string | undefined): Suite[string][] {
  const suite = suites[name];
  if (suite === undefined)
    throw new TypeError(`There is no suite "${name}". Suites: ${Object.keys(suites).join(", ")}.`);
  if (part === undefined) return Object.values(suite);
  const one = suite[part];
  if (one === undefined)
    throw new TypeError(
      `The suite "${name}" has no part "${part}". Parts: ${Object.keys(suite).join(", ")}.`,
    );
  return [one];
}
