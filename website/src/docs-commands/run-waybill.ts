import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { DocumentedCommand } from "./documented-commands.js";
import { makeWaybillFolder, serveNamespaces } from "./waybill-folder.js";

/** The outcome of an example. */
export interface ExampleResult extends DocumentedCommand {
  readonly exitCode: number;
  readonly output: string;
}

/** The data directory replaces the namespace of the examples that name none. */
const dataOption = " --data ./broker";

/** Commands that ask a namespace, which a data directory is not. */
const asksNamespace = /^waybill (?:token|broker (?:pull|push))\b/;

/** Exit codes of success: 0, or 1 for findings. */
const worstExitCode = 1;

/**
 * Runs the examples of the `waybill` command in order, with their stated arguments, in a folder that holds what they name. Resolves with
 * those that did not end as they should.
 */
export async function runWaybillExamples(
  root: string,
  examples: readonly DocumentedCommand[],
  onResult: (result: ExampleResult) => void,
): Promise<ExampleResult[]> {
  using folder = await makeWaybillFolder(root);
  await using namespaces = await serveNamespaces();
  const run = (command: string) => runShell(command, folder.path, folder.bin, namespaces.env);
  const takesData = new Map<string, boolean>();
  for (const file of ["today.json", "monday.json"]) {
    await run(`waybill census --data ./broker --json > ${file}`);
  }
  const failed: ExampleResult[] = [];
  for (const example of examples) {
    if (example.command.startsWith("waybill broker pull ")) rmSync(join(folder.path, "Config.json"));
    const parts = example.command.split(" | ");
    for (const [i, part] of parts.entries()) {
      if (!part.startsWith("waybill ") || /--data |--connection /.test(part)) continue;
      const name = part.split(" ").slice(1, wordsOf(part)).join(" ");
      if (!takesData.has(name)) {
        const help = await run(`waybill ${name} --help`);
        takesData.set(name, help.output.includes("--data <directory>"));
      }
      if (takesData.get(name) && !brokers.test(part)) parts[i] = withData(part);
    }
    const result = { ...example, ...(await run(parts.join(" | "))) };
    onResult(result);
    if (result.exitCode > worstExitCode) failed.push(result);
  }
  return failed;
}

/** How many words name the command, `waybill` included. */
function wordsOf(part: string): number {
  if (/^waybill entities rules\b/.test(part)) return 4;
  return /^waybill (?:dead-letters|golden|contract|plan|scheduled|sessions|entities|broker [a-z]+)\b/.test(
    part,
  )
    ? 3
    : 2;
}

/** Commands that run until they are stopped; they are stopped as soon as they are ready. */
const servers = /^waybill (?:(?:broker|explore)(?: -|$)|worker(?!.* --idle))/;

/** A broker that is served begins empty. */
const brokers = /^waybill broker(?: -|$)/;

/** Before a redirection, if there is one; `>` in quotes is none. */
function withData(part: string): string {
  const at = part.replace(/'[^']*'/g, (quoted) => "_".repeat(quoted.length)).search(/ >>? /);
  return at < 0 ? part + dataOption : part.slice(0, at) + dataOption + part.slice(at);
}

function runShell(
  command: string,
  cwd: string,
  bin: string,
  namespaces: Readonly<Record<string, string>>,
): Promise<{ exitCode: number; output: string }> {
  const { SERVICEBUS_CONNECTION_STRING: _, ...env } = process.env;
  const child = spawn("bash", ["-o", "pipefail", "-c", command], {
    cwd,
    // Certificates go below the home directory.
    env: {
      ...env,
      ...namespaces,
      ...(asksNamespace.test(command) && { SERVICEBUS_CONNECTION_STRING: namespaces.SHOP_CONNECTION }),
      HOME: cwd,
      PATH: `${bin}:${process.env.PATH}`,
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached: servers.test(command),
  });
  const stop = () => servers.test(command) && child.pid !== undefined && process.kill(-child.pid, "SIGTERM");
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-10_000);
      if (/^(?:Ready |Open once: |\{"url":)/m.test(text)) stop();
    });
  }
  return new Promise((resolve, reject) => {
    child.on("error", reject).on("close", (exitCode) => resolve({ exitCode: exitCode ?? 130, output }));
  });
}
