import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { readOptions } from "waybill-harness/options.js";
import { run } from "waybill-harness/run-program.js";
import { openConsumer } from "../pack/consumer.js";

// Packs @waybill/cli and what it needs of ours, installs the tarballs with npm into an empty folder outside the workspace, and runs `npx waybill`
// there, as a user would. Exits with 1 when a step does not end as it should. --slack is how many times longer a start may take, where other work is
// on the machine.

const config = `
import { defineConfig } from "@waybill/cli";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";

interface Unused {
  readonly typescript: true;
}

export default defineConfig({ serializer: msgpack(), additionalDeserializers: [json()] });
`;
const { slack } = readOptions({ slack: 1 });
const starts = 5;
/** Node takes about a millisecond for each file that it loads. */
const maxFiles = 35;
const countLoads = `
import { appendFileSync } from "node:fs";
export async function load(url, context, next) {
  if (url.startsWith("file:")) appendFileSync("loaded.txt", url + "\\n");
  return await next(url, context);
}
`;
const maxStartMs = 1000 * slack;
using consumer = await openConsumer("packed");
const { folder } = consumer;

await consumer.install(["waybill"]);
await expectRun(["--version"], /^\d+\.\d+\.\d+\n$/, [process.execPath, "node_modules/waybill/dist/bin.js"]);
await expectRun(["--version"], /^\d+\.\d+\.\d+\n$/);
await expectRun(["send", "orders", "--body", '{"id":1}', "--data", "broker", "--create"], /"bytes": 8/);
await expectRun(["peek", "orders", "--data", "broker", "--body"], /"body":\{"id":1\}/);
await writeFile(join(folder, "waybill.config.ts"), config);
await expectRun(["census", "--data", "broker"], /"position": 1/);
await expectRun(["golden", "capture", "golden", "--data", "broker"], /"written": \[\n {4}"/);
await expectRun(["golden", "check", "golden"], /"failures": \[\]/);
await expectBroker();
await expectFewFiles();

/**
 * `waybill broker` is there within a second of `npx`, prints where it listens, answers there, and stops in order. The fastest of five counts: what
 * else the machine does is not the command's.
 */
async function expectBroker(): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < starts; round++) times.push(await startBroker());
  const fastest = Math.min(...times);
  console.log(`npx waybill broker accepted a connection within ${times.join(", ")} ms`);
  if (fastest <= maxStartMs) return;
  console.error(`waybill broker did not accept a connection within ${maxStartMs} ms`);
  process.exitCode = 1;
}

/** A broker is there so soon because it loads few files, of the command and what it needs of ours. */
async function expectFewFiles(): Promise<void> {
  await writeFile(join(folder, "count-loads.mjs"), countLoads);
  await writeFile(
    join(folder, "register.mjs"),
    'import { register } from "node:module"; register("./count-loads.mjs", import.meta.url);\n',
  );
  await startBroker({
    ...process.env,
    NODE_OPTIONS: `--import=${pathToFileURL(join(folder, "register.mjs"))}`,
  });
  const loaded = (await readFile(join(folder, "loaded.txt"), "utf8")).trim().split("\n");
  const ours = loaded.filter((url) => /node_modules\/(?:@waybill|commander)\//.test(url));
  console.log(`waybill broker loaded ${ours.length} files`);
  if (ours.length > 0 && ours.length <= maxFiles) return;
  console.error(`expected at most ${maxFiles} files:\n${ours.join("\n")}`);
  process.exitCode = 1;
}

/** The milliseconds from the start of `npx` to the response to a connection; infinite if there is none. */
async function startBroker(env: NodeJS.ProcessEnv = process.env): Promise<number> {
  const startMs = performance.now();
  const child = spawn("npx", ["--no-install", "waybill", "broker", "--port", "0"], {
    cwd: folder,
    env,
    detached: true,
  });
  const ended = once(child, "close");
  let answeredMs = Number.POSITIVE_INFINITY;
  for await (const line of createInterface({ input: child.stdout })) {
    const [, health] = /health {2}(\S+)/.exec(line) ?? [];
    if (health !== undefined && (await fetch(health)).status === 200)
      answeredMs = Math.round(performance.now() - startMs);
    if (line.startsWith("Ready") && child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
  }
  await ended;
  return answeredMs;
}

async function expectRun(
  args: readonly string[],
  expected: RegExp,
  [program, ...first]: readonly [string, ...string[]] = ["npx", "--no-install", "waybill"],
): Promise<void> {
  const { stdout } = await run(program, [...first, ...args], { cwd: folder });
  console.log(`waybill ${args.join(" ")}\n${stdout}`);
  if (!expected.test(stdout)) {
    console.error(`expected ${expected}`);
    process.exitCode = 1;
  }
}
