import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { colors } from "./colors.js";
import { phases } from "./phases/phases.js";

const usage = `Usage: pnpm example:migration [--directory PATH]

Moves a shop's orders from JSON version 1 to Avro version 2, phase by phase, each in a process of its own on
a broker that keeps its messages in files. Exits with 1 if an order was lost, repeated or altered.

--directory PATH   keeps the files there: an empty directory, or one to be made. Default: a temporary one.`;

const program = fileURLToPath(new URL("./phase.js", import.meta.url));
const options = readCommandLine();
if (options?.help) console.log(usage);
else if (options !== undefined) await run(options.directory);

async function run(kept: string | undefined): Promise<void> {
  const directory = kept === undefined ? mkdtempSync(join(tmpdir(), "waybill-migration-")) : resolve(kept);
  mkdirSync(directory, { recursive: true });
  try {
    for (const [name, { day, title }] of Object.entries(phases)) {
      console.log(colors.bold(colors.cyan(`\nDay ${day}: ${title}`)));
      const child = spawn(process.execPath, [program, name, directory], { stdio: "inherit" });
      const [code] = await once(child, "exit");
      if (code === 0) continue;
      console.error(`The phase "${name}" ended with ${code}.`);
      process.exitCode = 1;
      return;
    }
  } finally {
    if (kept === undefined) rmSync(directory, { recursive: true, force: true });
  }
}

function readCommandLine(): { directory?: string | undefined; help: boolean } | undefined {
  try {
    const { values } = parseArgs({
      options: { directory: { type: "string" }, help: { type: "boolean", default: false } },
    });
    const { directory } = values;
    if (directory !== undefined && existsSync(directory) && readdirSync(directory).length > 0)
      throw new TypeError(`${directory} is not empty.`);
    return values;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exitCode = 2;
    return undefined;
  }
}
