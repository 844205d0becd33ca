import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { randomFrom } from "./crash/random.js";
import { count, emptyTally, sessionIds, stepsOf } from "./session-restarts/workflow.js";

// A workflow over sessions with typed state, on a durable broker, in a process that is killed with `kill -9` again and again. In the end
// the state of every session must be exact: each message counted once, in order. Exits with 1 on any difference.

const { values: args } = parseArgs({
  options: { kills: { type: "string", default: "200" }, seed: { type: "string" } },
});
const kills = Number(args.kills);
const seed = Number(args.seed ?? Date.now() % 2 ** 31);
const random = randomFrom(seed);
const program = fileURLToPath(new URL("./session-restarts/worker.js", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "waybill-restarts-"));
const ledgerFile = join(root, "ledger");
writeFileSync(ledgerFile, "");
console.log(`session restarts: ${kills} kills, seed ${seed}`);
const startedAt = Date.now();
try {
  for (let generation = 0; generation < kills; generation += 1) {
    // A fifth of the kills hit the start and the recovery, the others the work.
    await runAndKill(generation, random(5) === 0 ? "spawn" : "ready", random(300));
  }
  const code = await run(kills, "last").exit;
  const lines = readFileSync(ledgerFile, "utf8").split("\n");
  const violations = lines.filter((line) => line.startsWith("violation"));
  if (code !== 0) violations.push(`violation the last process ended with ${code}`);
  for (const sessionId of sessionIds) {
    const prefix = `result ${sessionId} `;
    const result = lines.find((line) => line.startsWith(prefix))?.slice(prefix.length);
    const steps = Array.from({ length: kills + 1 }, (_, generation) => stepsOf(sessionId, generation)).flat();
    const expected = steps.reduce(count, emptyTally);
    if (result === undefined || !isDeepStrictEqual(JSON.parse(result), expected)) {
      violations.push(`violation ${sessionId} is ${result}, and should be ${JSON.stringify(expected)}`);
    }
  }
  const again = lines.filter((line) => line.startsWith("again")).length;
  for (const violation of violations.slice(0, 20)) console.error(violation);
  console.log(
    `${kills} restarts, ${sessionIds.length} sessions of ${stepsOf("session-0", 0).length * (kills + 1)} messages, ${again} came again after ` +
      `a kill: ${violations.length === 0 ? "every result is exact" : `${violations.length} violations, seed ${seed}`}, ` +
      `${((Date.now() - startedAt) / 1000).toFixed(0)} s`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
} finally {
  rmSync(root, { recursive: true, force: true });
}

async function runAndKill(generation: number, from: "spawn" | "ready", delayMs: number): Promise<void> {
  const { child, exit, ready } = run(generation, "killed");
  if (from === "ready") await Promise.race([exit, ready]);
  await Promise.race([exit, new Promise((resolve) => setTimeout(resolve, delayMs))]);
  child.kill("SIGKILL");
  const code = await exit;
  if (code !== null) throw new Error(`the process of generation ${generation} ended by itself with ${code}`);
}

function run(generation: number, mode: "killed" | "last") {
  const parameters = [join(root, "store"), ledgerFile, String(firstUnsent()), String(generation), mode];
  const child = spawn(process.execPath, [program, ...parameters], { stdio: ["ignore", "pipe", "inherit"] });
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const ready = new Promise((resolve) => child.stdout.once("data", resolve));
  return { child, exit, ready };
}

/** The first generation of whose messages nobody has acknowledged all. */
function firstUnsent(): number {
  const sent = readFileSync(ledgerFile, "utf8").matchAll(/^sent (\d+)$/gm);
  return Math.max(-1, ...Array.from(sent, ([, generation]) => Number(generation))) + 1;
}
