import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { documentedCommands, notRun } from "./documented-commands.js";
import { runWaybillExamples } from "./run-waybill.js";

// Runs every command in the README, the docs and the packages' pages, with its stated arguments. With an argument only those
// that contain it; `waybill` runs the examples of the command alone, which takes a minute. All of them take hours. Exits with 1 when one of
// them does not end as it should.

const root = fileURLToPath(new URL("../../../", import.meta.url));
const [filter = ""] = process.argv.slice(2);
const { workspace, waybill } = documentedCommands(root);
const failed: string[] = [];

if (filter !== "waybill") {
  for (const { command, place } of workspace) {
    if (notRun[command] !== undefined || !command.includes(filter)) continue;
    console.log(`\n=== ${command} (${place})`);
    const { status } = spawnSync("bash", ["-c", command], { cwd: root, stdio: "inherit" });
    if (status !== 0) failed.push(`${place} ${command} ended with ${status}`);
  }
}

if ("waybill".includes(filter) || filter === "") {
  const runnable = waybill.filter(({ command }) => notRun[command] === undefined);
  const wrong = await runWaybillExamples(root, runnable, ({ command, exitCode }) =>
    console.log(`${exitCode}  ${command}`),
  );
  for (const { command, place, exitCode, output } of wrong)
    failed.push(`${place} ${command} ended with ${exitCode}: ${output}`);
}

for (const failure of failed) console.error(failure);
console.log(
  failed.length === 0 ? "\nEvery command has the documented result." : `\n${failed.length} commands failed.`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
