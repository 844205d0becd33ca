import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// Steps the wall clock of a process by an hour, back and forward, while a broker and a client work in it, and looks whether locks, renewals,
// waits, lives and schedules end when they should. Needs Debian's `faketime`; without it, it says so and checks nothing.

const program = fileURLToPath(new URL("./clock-steps/stepped.js", import.meta.url));
const found = spawnSync("faketime", ["-f", "+0", "printenv", "LD_PRELOAD"], { encoding: "utf8" });

if (found.status !== 0) console.log("Not checked: `faketime` is not installed");
else {
  const root = mkdtempSync(join(tmpdir(), "waybill-clock-steps-"));
  try {
    for (const stepS of [-3600, 3600]) run(join(root, "offset"), stepS);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  console.log(process.exitCode === 1 ? "Something went by the wrong clock" : "Everything went by its clock");
}

function run(offsetFile: string, stepS: number): void {
  console.log(`\nThe wall clock is stepped by ${stepS} s:`);
  writeFileSync(offsetFile, "+0");
  const env = {
    ...process.env,
    LD_PRELOAD: found.stdout.trim(),
    FAKETIME_TIMESTAMP_FILE: offsetFile,
    FAKETIME_NO_CACHE: "1",
    // A step moves the wall clock alone.
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
  const { status } = spawnSync(process.execPath, [program, offsetFile, String(stepS)], {
    env,
    stdio: "inherit",
  });
  if (status !== 0) process.exitCode = 1;
}
