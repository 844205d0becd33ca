import { percentile } from "waybill-harness/figures.js";
import { readOptions } from "waybill-harness/options.js";
import { startChild } from "./harness/child.js";
import { figuresOf, median, takeTurns } from "./harness/measure.js";
import { openCrowd } from "./one-port/load.js";
import type { PortUsage } from "./one-port/port-server.js";

// 500 connections to a broker of 2,000 entities, and 1,000,000 messages of 1 KB through it, over the one port of all protocols and, in turn, over a port
// that only AMQP has: what connections and messages cost the server, how long messages take, its memory and the delay of its event loop. The
// ratio of the two is what telling protocols apart by their first byte costs: it has to stay within 1 %, beside what the machine varies by itself.
// Usage: node bench/dist/one-port.js [--messages 1000000] [--connections 500] [--rounds 10]

const { messages, connections, rounds } = readOptions({ messages: 1_000_000, connections: 500, rounds: 10 });
const perClient = Math.ceil(messages / rounds / connections);

const names = ["one-port", "amqp-alone"] as const;

type Server = (typeof servers)[number];

const program = new URL("./one-port/port-server.js", import.meta.url);
const servers = await Promise.all(
  names.map((name) => startChild<{ readonly port: number }>(program, [name], ["--no-warnings"])),
);
console.error(
  `${connections} connections, 2,000 entities, ${rounds} rounds of ${perClient * connections} messages on each side`,
);
const sides = Object.fromEntries(servers.map((server, place) => [names[place], () => runRound(server)]));
const figures = await takeTurns({ sides }, rounds, 1);
await Promise.all(servers.map((server) => server.process.kill()));
print();

async function runRound(server: Server) {
  const ask = () => server.process.ask<PortUsage>("usage");
  await ask();
  const crowd = await openCrowd(server.ready.port, connections);
  const connected = await ask();
  const startMs = performance.now();
  const times = await crowd.exchange(perClient);
  const elapsedMs = performance.now() - startMs;
  const { cpuUs, ...used } = await ask();
  crowd.close();
  const count = perClient * connections;
  return {
    connectCpuUs: connected.cpuUs / connections,
    messageCpuUs: cpuUs / count,
    perSecond: (count * 1000) / elapsedMs,
    latencyMs: percentile(times, 50),
    latencyP99Ms: percentile(times, 99),
    ...used,
  };
}

function print(): void {
  const rows: (readonly [title: string, figure: string, digits: number])[] = [
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
    const [ours, alone] = names.map((name) => figuresOf(figures, name, key)) as [number[], number[]];
    const values = [median(ours), median(alone)];
    const ratio = median(ours.map((one, index) => one / (alone[index] ?? 1)));
    const cells = values.map((value) => value.toFixed(digits).padStart(12)).join("");
    console.log(`${title.padEnd(46)}${cells}  ${ratio.toFixed(3)}`);
  }
}
