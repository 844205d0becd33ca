import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { openSession, receiveAll, sendAll } from "./amqp-client.js";
import { serveWithRhea } from "./rhea-server.js";
import { serveWaybill } from "./waybill-server.js";

// The broker server beside a minimal store-and-forward server made of rhea, each in a process of its own, driven in turn by
// one client that costs little: 1 KB messages sent and accepted, received and settled, and the server's CPU for each.
// Run alone: node bench/dist/server.js [messages] [rounds].

const SERVERS = { waybill: serveWaybill, rhea: serveWithRhea } as const;
type ServerName = keyof typeof SERVERS;

interface Measured {
  readonly rate: number;
  readonly cpuUs: number;
}

if (process.send) await runServer(process.argv[2] as ServerName);
else await measure(Number(process.argv[2] ?? 50_000), Number(process.argv[3] ?? 5));

async function runServer(name: ServerName): Promise<void> {
  const port = await SERVERS[name]();
  process.on("message", () => {
    process.send?.({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss() });
  });
  process.on("disconnect", () => process.exit());
  process.send?.({ port });
}

async function measure(count: number, rounds: number): Promise<void> {
  const servers = await Promise.all((["waybill", "rhea"] as const).map(openServer));
  for (const server of servers) await run(server, Math.min(count, 20_000));
  const results = servers.map(() => ({ sends: [] as Measured[], receives: [] as Measured[] }));
  for (let round = 0; round < rounds; round++) {
    for (const [place, server] of servers.entries()) {
      const { send, receive } = await run(server, count);
      results[place]!.sends.push(send);
      results[place]!.receives.push(receive);
    }
  }
  for (const kind of ["sends", "receives"] as const) {
    for (const [place, server] of servers.entries())
      console.log(line(server.name, kind, results[place]![kind]));
    const [ours, theirs] = results.map((result) => median(result[kind].map(({ rate }) => rate)));
    console.log(`${kind}: ${(ours! / theirs!).toFixed(2)} x rhea`);
  }
  for (const server of servers) server.close();
}

async function openServer(name: ServerName) {
  const startMs = performance.now();
  const child = fork(fileURLToPath(import.meta.url), [name]);
  const answer = () =>
    new Promise<{ port: number; cpu: NodeJS.CpuUsage; rss: number }>((resolve) =>
      child.once("message", resolve),
    );
  const { port } = await answer();
  const { session, socket } = await openSession(port);
  const status = () => {
    child.send("status");
    return answer();
  };
  const { rss } = await status();
  const openMs = performance.now() - startMs;
  console.log(`${name}: first open after ${openMs.toFixed(0)} ms, idle RSS ${(rss / 2 ** 20).toFixed(0)} MB`);
  return {
    name,
    session,
    cpuUs: async () => {
      const { user, system } = (await status()).cpu;
      return user + system;
    },
    close: () => {
      socket.destroy();
      child.disconnect();
    },
  };
}

type OpenServer = Awaited<ReturnType<typeof openServer>>;

async function run(server: OpenServer, count: number): Promise<{ send: Measured; receive: Measured }> {
  const send = await time(server, count, () => sendAll(server.session, count, "orders"));
  const receive = await time(server, count, () => receiveAll(server.session, count, "orders", "client"));
  return { send, receive };
}

async function time(server: OpenServer, count: number, act: () => Promise<void>): Promise<Measured> {
  const [beforeUs, beforeMs] = [await server.cpuUs(), performance.now()];
  await act();
  const elapsedMs = performance.now() - beforeMs;
  return { rate: count / elapsedMs, cpuUs: ((await server.cpuUs()) - beforeUs) / count };
}

function line(name: string, kind: string, measured: readonly Measured[]): string {
  const rate = median(measured.map((one) => one.rate)).toFixed(1);
  const cpuUs = median(measured.map((one) => one.cpuUs)).toFixed(2);
  return `${name} ${kind}: ${rate} k messages/s, server CPU ${cpuUs} us each`;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
