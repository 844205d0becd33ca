import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ServiceBusClient } from "@azure/service-bus";
import { randomFrom } from "./crash/random.js";
import { DeliveryLedger, type LedgerLine } from "./soak-server/delivery-ledger.js";
import { measureGrowth } from "./soak-server/growth.js";
import type { Measurement } from "./soak-server/server.js";

// Clients of the official SDK work on a server with durable storage, vanish and come back; the server is killed with `kill -9` and
// started again. In the end every message is accounted for, and the server's memory and sockets are looked at. Exits with 1 when
// something is lost, comes back, is with two clients at once, grows or hangs.
// Usage: soak-server [--minutes 10] [--clients 20] [--kills 5] [--seed n]

const { values: args } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    clients: { type: "string", default: "20" },
    kills: { type: "string", default: "5" },
    seed: { type: "string" },
  },
});
const durationMs = Number(args.minutes) * 60_000;
const clients = Number(args.clients);
const kills = Number(args.kills);
const seed = Number(args.seed ?? Date.now() % 2 ** 31);

/** A lock ends soon, so that messages of clients that died come back while the soak runs. */
const LOCK_MS = 5000;
/** A process of clients lives at least so long. In ms. */
const LIFE_MS = 3000;
const CLIENTS_PER_PROCESS = 5;
/** Measurements over the whole run. */
const SAMPLES = 60;
const MB = 2 ** 20;
const STORES = ["orders", "visits", "news/red", "news/blue"];

/** What the clients' errors say is wrong with the server, rather than with a link that was cut or a lock that has ended. */
const DEFECTS =
  /^MessagingEntity|^UnauthorizedAccess|^QuotaExceeded|^MessageSizeExceeded|The server failed to do this|decode-error|framing-error/;

const random = randomFrom(seed);
const ledger = new DeliveryLedger();
const root = mkdtempSync(join(tmpdir(), "waybill-soak-"));
const ledgerFiles: string[] = [];
const serverStarts: number[] = [];
const violations: string[] = [];
let port = 0;
let deaths = 0;
let isOver = false;
console.log(`soak-server: ${args.minutes} min, ${clients} clients, ${kills} kills, seed ${seed}`);

try {
  await soak();
} finally {
  rmSync(root, { recursive: true, force: true });
}

async function soak(): Promise<void> {
  const startedAt = Date.now();
  const until = (share: number): Promise<void> => pause(startedAt + durationMs * share - Date.now());
  let server = await startServer();
  const groups = Array.from({ length: Math.ceil(clients / CLIENTS_PER_PROCESS) }, (_, n) => {
    const count = Math.min(CLIENTS_PER_PROCESS, clients - n * CLIENTS_PER_PROCESS);
    return keepClients(count);
  });
  // All kills are in the first half: the last server lives long enough to show whether it grows.
  let samples: Measurement[] = [];
  let killedAt = startedAt;
  for (let step = 1; step <= SAMPLES; step++) {
    await until(step / SAMPLES);
    const isKillDue =
      Math.floor((step * 2 * kills) / SAMPLES) > Math.floor(((step - 1) * 2 * kills) / SAMPLES);
    if (isKillDue && step <= SAMPLES / 2) {
      await kill(server);
      server = await startServer();
      samples = [];
    } else samples.push(await measure(server));
    if (step % 3 === 0 && Date.now() > killedAt + LIFE_MS) {
      groups[random(groups.length)]!.kill();
      killedAt = Date.now();
    }
  }
  isOver = true;
  await Promise.all(groups.map((group) => group.stop()));
  await drain(server);
  const last = await measureAtRest(server);
  await kill(server);
  report(samples, last);
}

/** Starts the server on the store, as a new process on the same port. */
async function startServer(): Promise<ChildProcess> {
  const program = fileURLToPath(new URL("./soak-server/server.js", import.meta.url));
  const child = fork(program, [join(root, "store"), String(port), String(LOCK_MS)], {
    execArgv: ["--expose-gc"],
    stdio: ["ignore", "inherit", "pipe", "ipc"],
  });
  // The server warns of its own defects.
  child.stderr!.on("data", (text) => violations.push(`the server said: ${text}`));
  child.on("exit", (code) => {
    if (code !== null) violations.push(`the server ended by itself with ${code}`);
  });
  [port] = (await once(child, "message")) as [number];
  serverStarts.push(Date.now());
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

async function measure(server: ChildProcess): Promise<Measurement> {
  const answer = once(server, "message");
  server.send("measure");
  const [measurement] = (await answer) as [Measurement];
  return measurement;
}

/** Runs a process with clients, and another one when it dies. */
function keepClients(count: number) {
  const program = fileURLToPath(new URL("./soak-server/clients.js", import.meta.url));
  const spawn = (): ChildProcess => {
    const ledgerFile = join(root, `ledger-${ledgerFiles.length}`);
    ledgerFiles.push(ledgerFile);
    const name = `c${ledgerFiles.length}`;
    const child = fork(program, [String(port), ledgerFile, String(random(2 ** 31)), name, String(count)]);
    child.once("exit", (code) => {
      if (code !== 0 && code !== null) violations.push(`clients ended by themselves with ${code}`);
      if (!isOver) current = spawn();
    });
    return child;
  };
  let current = spawn();
  return {
    kill(): void {
      deaths++;
      current.kill("SIGKILL");
    },
    async stop(): Promise<void> {
      if (current.exitCode !== null || current.signalCode !== null) return;
      const gone = once(current, "exit");
      const deadline = setTimeout(() => current.kill("SIGKILL"), 20_000);
      current.send("stop");
      await gone;
      clearTimeout(deadline);
    },
  };
}

/** Takes out all that is left, which shows what the clients have not completed. */
async function drain(server: ChildProcess): Promise<void> {
  const lines: LedgerLine[] = [];
  const client = new ServiceBusClient(
    `Endpoint=sb://127.0.0.1:${port};SharedAccessKeyName=soak;SharedAccessKey=soak;UseDevelopmentEmulator=true`,
    { retryOptions: { maxRetries: 0, timeoutInMs: 1000 } },
  );
  // Made again for each call, since the SDK changes the options it is given.
  const mode = () => ({ receiveMode: "receiveAndDelete" }) as const;
  const deadlineMs = Date.now() + 60_000;
  while ((await measure(server)).messages > 0 && Date.now() < deadlineMs) {
    for (const store of STORES) {
      const [entity, subscription] = store.split("/") as [string, string?];
      const receiver =
        store === "visits"
          ? await client.acceptNextSession(entity, mode()).catch(() => undefined)
          : subscription === undefined
            ? client.createReceiver(entity, mode())
            : client.createReceiver(entity, subscription, mode());
      for (const message of (await receiver?.receiveMessages(500, { maxWaitTimeInMs: 100 })) ?? []) {
        lines.push(["left", Date.now(), store, String(message.messageId), String(message.sequenceNumber)]);
      }
      await receiver?.close();
    }
  }
  await client.close();
  ledger.read(lines);
}

/** Sockets of clients that have gone may take a moment. */
async function measureAtRest(server: ChildProcess): Promise<Measurement> {
  const deadlineMs = Date.now() + 5000;
  for (;;) {
    const measurement = await measure(server);
    if (measurement.sockets === 0 || Date.now() > deadlineMs) return measurement;
    await pause(100);
  }
}

function report(samples: readonly Measurement[], last: Measurement): void {
  for (const file of ledgerFiles) ledger.read(readLedger(file));
  if (last.messages > 0) violations.push(`${last.messages} messages are left that nobody receives`);
  if (last.sockets > 0) violations.push(`${last.sockets} sockets are open though all clients have gone`);
  violations.push(...ledger.violations({ lockMs: LOCK_MS, sessionStores: ["visits"], serverStarts }));
  console.log(
    `${ledger.count("life")} connections, ${ledger.count("cut")} cut, ${deaths} processes of clients and ` +
      `${serverStarts.length - 1} servers killed`,
  );
  console.log(
    `${ledger.count("sent")} sends acknowledged, ${ledger.count("got")} deliveries, ${ledger.count("completed")} completed, ` +
      `${ledger.count("abandon")} abandoned, ${ledger.redeliveries} came again, ${ledger.count("left")} left at the end`,
  );
  console.log(`errors of the clients: ${[...ledger.errors].map((pair) => pair.join(" ")).join(", ")}`);
  for (const error of ledger.errors.keys()) if (DEFECTS.test(error)) violations.push(error);
  judgeMemory(samples, last);
  if (ledger.count("completed") === 0) violations.push("nothing was completed");
  for (const violation of violations.slice(0, 20)) console.error(violation);
  console.log(violations.length === 0 ? "Nothing was lost" : `${violations.length} violations, seed ${seed}`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}

/** The last server has warmed up after the first third of its life. */
function judgeMemory(samples: readonly Measurement[], last: Measurement): void {
  const warm = samples.slice(Math.floor(samples.length / 3));
  for (const [name, ratio, slack] of [
    ["heapBytes", 0.1, 2 * MB],
    ["usedBytes", 0.1, 4 * MB],
    ["residentBytes", 0.15, 8 * MB],
  ] as const) {
    const growth = measureGrowth(
      warm.map((sample) => sample[name]),
      { ratio, slack },
    );
    if (growth === undefined) continue;
    const [from, to] = [growth.from, growth.to].map((bytes) => (bytes / MB).toFixed(1));
    console.log(
      `${name} of the server: ${from} MB, then ${to} MB; ${(last[name] / MB).toFixed(1)} MB at rest`,
    );
    if (!growth.isFlat) violations.push(`${name} grows from ${from} MB to ${to} MB`);
  }
}

/** The last line may be cut short by a kill. */
function readLedger(file: string): LedgerLine[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as LedgerLine);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(ms, 0)));
}
