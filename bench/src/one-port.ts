import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Crowd } from "./one-port/load.js";
import type { PortUsage } from "./one-port/port-server.js";

// 500 connections to a broker of 2,000 entities, and 1,000,000 messages of 1 KB through it, over the one port of all protocols and, in turn, over a port
// that only AMQP has: what connections and messages cost the server, how long messages take, its memory and the delay of its event loop. The
// ratio of the two is what telling protocols apart by their first byte costs: it has to stay within 1 %, beside what the machine varies by itself.
// Usage: node bench/dist/one-port.js [--messages 1000000] [--connections 500] [--rounds 10]

const { values: options } = parseArgs({
  options: {
    messages: { type: "string", default: "1000000" },
    connections: { type: "string", default: "500" },
    rounds: { type: "string", default: "10" },
  },
});
const connections = Number(options.connections);
const rounds = Number(options.rounds);
const perClient = Math.ceil(Number(options.messages) / rounds / connections);

const names = ["one-port", "amqp-alone"] as const;

/** What one round of one side came to. */
interface Round {
  readonly connectCpuUs: number;
  readonly messageCpuUs: number;
  readonly perSecond: number;
  readonly latencyMs: number;
  readonly latencyP99Ms: number;
  readonly residentMb: number;
  readonly loopMedianMs: number;
  readonly loopP99Ms: number;
}

const sides = await Promise.all(names.map(async (name) => ({ name, ...(await startServer(name)) })));
const figures = { "one-port": [] as Round[], "amqp-alone": [] as Round[] };
console.error(
  `${connections} connections, 2,000 entities, ${rounds} rounds of ${perClient * connections} messages on each side`,
);
// The first round is for the engines to compile what they run.
for (let round = -1; round < rounds; round++) {
  for (const { name, port, child } of round % 2 === 0 ? sides : sides.toReversed()) {
    const figure = await runRound(port, child);
    if (round >= 0) figures[name].push(figure);
  }
}
for (const { child } of sides) child.disconnect();
print();

async function runRound(port: number, child: ChildProcess): Promise<Round> {
  await ask(child);
  const crowd = await Crowd.open(port, connections);
  const connected = await ask(child);
  const startMs = performance.now();
  const times = await crowd.exchange(perClient);
  const elapsedMs = performance.now() - startMs;
  const used = await ask(child);
  crowd.close();
  const count = perClient * connections;
  return {
    connectCpuUs: connected.cpuUs / connections,
    messageCpuUs: used.cpuUs / count,
    perSecond: (count * 1000) / elapsedMs,
    latencyMs: at(times, 0.5),
    latencyP99Ms: at(times, 0.99),
    residentMb: used.residentMb,
    loopMedianMs: used.loopDelayMs.median,
    loopP99Ms: used.loopDelayMs.p99,
  };
}

async function startServer(name: string): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(fileURLToPath(new URL("./one-port/port-server.js", import.meta.url)), [name], {
    execArgv: ["--no-warnings"],
  });
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  return { child, port };
}

async function ask(child: ChildProcess): Promise<PortUsage> {
  const answer = once(child, "message");
  child.send("usage");
  const [usage] = (await answer) as [PortUsage];
  return usage;
}

function print(): void {
  const rows: (readonly [string, keyof Round, number])[] = [
    ["server CPU for a connection, µs", "connectCpuUs", 0],
    ["server CPU for a message in and out, µs", "messageCpuUs", 2],
    ["messages a second, in and out", "perSecond", 0],
    ["latency, median, ms", "latencyMs", 1],
    ["latency, 99th percentile, ms", "latencyP99Ms", 1],
    ["memory of the server, MB", "residentMb", 0],
    ["delay of its event loop, median, ms", "loopMedianMs", 2],
    ["delay of its event loop, 99th percentile, ms", "loopP99Ms", 1],
  ];
  console.log(
    `${"medians".padEnd(46)}${names.map((name) => name.padStart(12)).join("")}  ratio, median of rounds`,
  );
  for (const [title, key, digits] of rows) {
    const values = names.map((name) => median(figures[name].map((round) => round[key])));
    const ratio = median(
      figures["one-port"].map((round, index) => round[key] / (figures["amqp-alone"][index]?.[key] ?? 1)),
    );
    const cells = values.map((value) => value.toFixed(digits).padStart(12)).join("");
    console.log(`${title.padEnd(46)}${cells}  ${ratio.toFixed(3)}`);
  }
}

function median(values: readonly number[]): number {
  return at(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
