import { percentile as percentileOf } from "waybill-harness/figures.js";
import { readOptions } from "waybill-harness/options.js";
import { nodeCommand, SupervisedProcess } from "waybill-harness/supervised-process.js";
import type { Report } from "./attackers.js";
import type { Flood } from "./flood.js";
import { allFloods } from "./floods.js";
import { OfficialClient, type RoundTrip, type Work } from "./official-client.js";
import type { Measurement } from "./server.js";

// Floods a server with requests that try to fill its memory or block its event loop, one kind after the other, while a client of the official SDK
// sends and receives. The server, the attackers and the client are separate processes, on loopback. Exits with 1 when the server dies, uses more
// memory than allowed, is blocked for too long, or when the client waits too long or loses a message.
// `--slack` multiplies the bounds on time, for runs of so few round trips that one of them decides, or on busy machines.

const { seconds, slack, only, list } = readOptions({ seconds: 300, slack: 1, only: "", list: false });

/** The heap of the server, in MB, and what its process may take in all: the heap, 256 MB for connections, and 256 MB for bodies and the process itself. */
const heapMb = 768;
const memoryLimitMb = 1_280;
/**
 * How long the event loop may be blocked, and the maximum of 99 of 100 round trips of the client, in ms: both without the time for which
 * other processes had the processors of this machine.
 */
const stallLimitMs = 50;
const p99LimitMs = 100;
/** The client's round trips before the floods show how busy the machine is with other work. */
const quietMs = 3_000;
const mb = 2 ** 20;
const headings = [
  "flood",
  ...["memory", "stall", "(wall)", "p50", "p99", "(wall)", "round trips", "connections", "answers"],
];

const chosen = allFloods.filter(({ name }) => name.includes(only));
if (list) console.log(allFloods.map(({ name }) => name).join("\n"));
else process.exitCode = (await attack(chosen, seconds * 1000)) ? 0 : 1;

async function attack(floods: readonly Flood[], durationMs: number): Promise<boolean> {
  const server = start("server", [], [`--max-old-space-size=${heapMb}`]);
  const [port, tlsPort] = (await server.ready) as [number, number];
  const attackers = start("attackers", [port, tlsPort]);
  const client = new OfficialClient(port, server.pid);
  await client.work(after(500));
  await server.ask<Measurement>("measure");
  const quiet = percentile((await client.work(after(quietMs))).roundTrips, "wallMs", 99);
  console.log(`Before the floods, 99 of 100 round trips took at most ${quiet.toFixed(0)} ms.\n`);
  console.log(row(headings));
  let isHeld = true;
  for (const flood of floods) {
    if (flood.prepare !== undefined) {
      await server.ask(flood.prepare);
      await server.ask("measure");
    }
    let isDone = false;
    const done = attackers.ask<Report>({ name: flood.name, ms: durationMs / floods.length }).finally(() => {
      isDone = true;
    });
    // If the server is dead, the client is not waited for.
    done.catch(() => {});
    const work = await client.work(() => isDone || server.isOver);
    if (server.isOver) {
      console.log(row([flood.name, "the server has ended"]));
      isHeld = false;
      break;
    }
    const figures = { ...(await server.ask<Measurement>("measure")), ...work, ...(await done) };
    const faults = faultsOf(figures);
    if (faults.length > 0) isHeld = false;
    console.log(row([flood.name, ...cellsOf(figures), ` ${faults.join(", ") || "ok"}`]));
    await server.ask("empty");
    // The server may still be removing what the attackers left.
    await client.work(after(300));
    await server.ask("measure");
  }
  await client.close();
  await Promise.all([attackers.kill(), server.kill()]);
  console.log(isHeld ? "\nEvery limit was kept, and no message was lost." : "\nNot every limit was kept.");
  return isHeld;
}

type Figures = Measurement & Work & Report;

function faultsOf({
  residentBytes,
  stallMs,
  warnings,
  roundTrips,
  lost,
  errors,
  failures,
}: Figures): string[] {
  const p99 = percentile(roundTrips, "ms", 99);
  return [
    ...(residentBytes > memoryLimitMb * mb ? [`more than ${memoryLimitMb} MB`] : []),
    ...(stallMs > stallLimitMs * slack ? [`stalled for ${stallMs.toFixed(0)} ms`] : []),
    ...(p99 > p99LimitMs * slack ? [`p99 of ${p99.toFixed(0)} ms`] : []),
    ...(roundTrips.length === 0 ? ["no round trip"] : []),
    ...lost.map((id) => `lost ${id}`),
    ...errors.slice(0, 3),
    ...failures.slice(0, 3),
    ...warnings.slice(0, 3),
  ];
}

function cellsOf({ residentBytes, stallMs, delayMs, roundTrips, connections, answers }: Figures): string[] {
  const ms = (value: number): string => `${value.toFixed(0)} ms`;
  return [
    `${(residentBytes / mb).toFixed(0)} MB`,
    ms(stallMs),
    ms(delayMs),
    ms(percentile(roundTrips, "ms", 50)),
    ms(percentile(roundTrips, "ms", 99)),
    ms(percentile(roundTrips, "wallMs", 99)),
    ...[roundTrips.length, connections, answers].map(String),
  ];
}

function start(
  name: string,
  parameters: readonly number[] = [],
  flags: readonly string[] = [],
): SupervisedProcess {
  const program = new URL(`./${name}.js`, import.meta.url);
  return new SupervisedProcess({ command: nodeCommand(program, parameters, flags) });
}

function after(ms: number): () => boolean {
  const endsAt = performance.now() + ms;
  return () => performance.now() >= endsAt;
}

function percentile(roundTrips: readonly RoundTrip[], figure: keyof RoundTrip, percent: number): number {
  return percentileOf(
    roundTrips.map((roundTrip) => roundTrip[figure]),
    percent,
  );
}

function row([name = "", ...cells]: readonly string[]): string {
  return `${name.padEnd(66)}${cells.map((cell) => cell.padStart(12)).join("")}`;
}
