import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeCommand, SupervisedProcess } from "waybill-harness/supervised-process.js";
import { openScratch } from "waybill-harness/waiting.js";
import { conclude } from "../ledger/verdict.js";

// Steps the wall clock of a process by an hour, back and forward, while a broker and a client work in it, and checks whether locks, renewals,
// waits, times to live and schedules end when they should. Needs Debian's `faketime`; without it, it says so and checks nothing.

const program = new URL("./stepped.js", import.meta.url);
const found = spawnSync("faketime", ["-f", "+0", "printenv", "LD_PRELOAD"], { encoding: "utf8" });

if (found.status !== 0) console.log("Not checked: `faketime` is not installed");
else {
  using root = openScratch("clock-steps");
  // Beside each other: they mostly wait.
  const runs = [-3600, 3600].map((stepS) => run(join(root.path, `offset${stepS}`), stepS));
  conclude((await Promise.all(runs)).flat(), "Everything follows the right clock");
}

async function run(offsetFile: string, stepS: number): Promise<string[]> {
  writeFileSync(offsetFile, "+0");
  const child = new SupervisedProcess({
    command: nodeCommand(program, [offsetFile, stepS]),
    isStderrFinding: true,
    env: {
      LD_PRELOAD: found.stdout.trim(),
      FAKETIME_TIMESTAMP_FILE: offsetFile,
      FAKETIME_NO_CACHE: "1",
      // A step moves the wall clock only.
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    },
  });
  await child.exit;
  console.log(`\nThe wall clock is stepped by ${stepS} s:`);
  for (const line of child.stdout) console.log(line);
  return child.findings;
}
