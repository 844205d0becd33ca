import { cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { type Accepted, describeFallen, measureAgainst, readAccepted } from "./harness/accepted.js";
import { startChild } from "./harness/child.js";
import { type Result, verdictOf } from "./harness/measure.js";
import { toTable } from "./harness/report.js";
import { partOf, partsOf, suites } from "./suites.js";

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
    against: { type: "string" },
    peers: { type: "boolean", default: false },
    rounds: { type: "string", default: "51" },
    help: { type: "boolean", default: false },
  },
});

const help = `pnpm bench [suite …] [--json] [--check] [--against FILE] [--peers] [--rounds N]

suites     ${Object.keys(suites).join(", ")}; all by default but peers
           one part of a suite:
${Object.entries(suites)
  .map(([name, suite]) => `           ${name}:${Object.keys(suite).join("|")}`)
  .join("\n")}
--json     prints the results as JSON, with date and machine
--check    fails only if a line is more than 5 % worse than in bench/accepted.json, three times; run it where those were measured, on a quiet machine
--against  the same beside a file that --json has printed: on another machine, for an earlier commit
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
  const accepted = options.check || options.against !== undefined ? readAccepted(options.against) : undefined;
  if (accepted !== undefined) console.error(`accepted on ${accepted.date}: ${accepted.machine}`);
  const results: Result[] = [];
  for (const [suite, part] of chosen.flatMap(partsIn)) {
    console.error(`${suite}: ${part}`);
    const measureOnce = () => measurePart(suite, part);
    results.push(...(await (accepted ? measureAgainst(accepted, measureOnce) : measureOnce())));
  }
  console.log(options.json ? JSON.stringify({ ...surroundings(), results }, null, 2) : toTable(results));
  process.exitCode = accepted === undefined ? reportMissed(results) : reportFallen(results, accepted);
}

/** Returns the exit code: 0 if every line reaches its target, or what must hold meanwhile where its target is out of reach. */
function reportMissed(results: readonly Result[]): number {
  const count = (verdict: string) => results.filter((result) => verdictOf(result) === verdict).length;
  const [short, missed] = [count("short"), count("missed")];
  if (!options.json) {
    console.log(missed === 0 ? "\nEvery line holds." : `\n${missed} of ${results.length} lines missed.`);
    if (short > 0)
      console.log(`${short} hold, but are short of their targets: docs/performance.md says why.`);
  }
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

/** In a process of its own: otherwise the code that all parts share would be compiled for the work of those before. */
async function measurePart(suite: string, part: string): Promise<Result[]> {
  const program = new URL("./part.js", import.meta.url);
  const { ready, process } = await startChild<Result[]>(program, [suite, part, options.rounds]);
  await process.kill();
  return ready;
}

/** The parts of a choice, `suite` or `suite:part`. Throws `TypeError` for an unknown one. */
function partsIn(choice: string): (readonly [suite: string, part: string])[] {
  const [suite = "", part] = choice.split(":");
  if (part === undefined) return partsOf(suite).map((each) => [suite, each]);
  partOf(suite, part);
  return [[suite, part]];
}
