import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { damageStore } from "./crash/damage.js";
import { Ledger, type LedgerLine } from "./crash/ledger.js";
import { randomFrom } from "./crash/random.js";

// Kills a process that works on a durable broker with `kill -9` at random points, again and again on the same store, and compares
// what each next process finds with what the ones before had acknowledged. Then damages the store. Exits with 1 on any difference.

const { values: args } = parseArgs({
  options: {
    kills: { type: "string", default: "60" },
    damages: { type: "string", default: "200" },
    seed: { type: "string" },
  },
});
const kills = Number(args.kills);
const seed = Number(args.seed ?? Date.now() % 2 ** 31);
const program = fileURLToPath(new URL("./crash/load.js", import.meta.url));
const random = randomFrom(seed);
console.log(`crash: ${kills} kills, seed ${seed}`);

const root = mkdtempSync(join(tmpdir(), "waybill-crash-"));
const store = join(root, "store");
const ledger = new Ledger();
const startedAt = Date.now();
try {
  for (let generation = 0; generation < kills; generation++) {
    // A fifth of the kills hit the start and the recovery, the others the work.
    if (random(5) === 0) await runAndKill(generation, "spawn", random(400));
    else await runAndKill(generation, "ready", random(500));
    if (ledger.violations.length > 0) break;
  }
  await fillDisk(kills);
  await runAndKill(kills + 1, "ready", 0);
  const { acknowledged, uncertain, checks } = ledger;
  console.log(
    `${checks} recoveries checked, ${acknowledged} operations acknowledged, ${uncertain} were in progress when the process died`,
  );
  const report = await damageStore(store, join(root, "damaged"), Number(args.damages), random);
  console.log(`damaged store: ${report.refused} refused, ${report.identical} opened with all content`);
  const violations = [...ledger.violations, ...report.violations];
  for (const violation of violations.slice(0, 20)) console.error(violation);
  console.log(
    `${violations.length === 0 ? "Nothing was lost" : `${violations.length} violations, seed ${seed}`}, ` +
      `${((Date.now() - startedAt) / 1000).toFixed(0)} s`,
  );
  process.exitCode = violations.length === 0 && checks > 0 ? 0 : 1;
} finally {
  rmSync(root, { recursive: true, force: true });
}

async function runAndKill(generation: number, from: "spawn" | "ready", delayMs: number): Promise<void> {
  const { child, ledgerFile } = start(generation, [process.execPath, program]);
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const ready = new Promise((resolve) => child.stdout.once("data", resolve));
  await Promise.race([exit, from === "ready" ? ready : undefined]);
  await Promise.race([exit, new Promise((resolve) => setTimeout(resolve, delayMs))]);
  child.kill("SIGKILL");
  const code = await exit;
  if (code !== null) throw new Error(`the process of generation ${generation} ended by itself with ${code}`);
  ledger.read(generation, readLedger(ledgerFile));
}

/** Lets a generation run into a limit on the size of its files, as on a full disk. */
async function fillDisk(generation: number): Promise<void> {
  if (process.platform !== "linux") return;
  const blocks = Math.ceil(statSync(join(store, "store.mdb")).size / 1024) + 64;
  const limited = `trap '' XFSZ; ulimit -f ${blocks}; exec "$0" "$@"`;
  const { child, ledgerFile } = start(generation, ["bash", "-c", limited, process.execPath, program]);
  const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  clearTimeout(timer);
  console.log(code === 3 ? "full disk: refused, then stopped" : `full disk: not reached (${code})`);
  ledger.read(generation, readLedger(ledgerFile));
}

function start(generation: number, [command, ...before]: readonly string[]) {
  const ledgerFile = join(root, `ledger-${generation}`);
  const parameters = [...before, store, ledgerFile, String(random(2 ** 31)), String(generation)];
  const child = spawn(command!, parameters, { stdio: ["ignore", "pipe", "pipe"] });
  child.stderr.on("data", (chunk: Buffer) => process.stderr.write(chunk));
  return { child, ledgerFile };
}

/** The last line may be cut short by the kill. */
function readLedger(file: string): LedgerLine[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as LedgerLine);
}
