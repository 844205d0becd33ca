import { fileURLToPath } from "node:url";
import { readOptions } from "waybill-harness/options.js";
import { packageManager } from "waybill-harness/package-manager.js";
import { run as runProgram } from "waybill-harness/run-program.js";
import { openScratch } from "waybill-harness/waiting.js";
import { beaconChecks } from "./beacon-checks.js";
import { openStage, type Stage } from "./browser.js";
import { changeChecks } from "./change-checks.js";
import type { Check } from "./check.js";
import { claimsChecks } from "./claims-checks.js";
import { goneBrokerChecks } from "./gone-broker-checks.js";
import { killedRepairChecks } from "./killed-repair-checks.js";
import { layoutChecks } from "./layout-checks.js";
import { letterChecks } from "./letter-checks.js";
import { listChecks } from "./list-checks.js";
import { loadChecks } from "./load-checks.js";
import { lookChecks } from "./look-checks.js";
import { messageChecks } from "./message-checks.js";
import { takePictures } from "./pictures.js";
import { readChecks } from "./read-checks.js";
import { removalChecks } from "./removal-checks.js";
import { repairFormChecks } from "./repair-form-checks.js";
import { restartChecks } from "./restart-checks.js";
import { searchChecks } from "./search-checks.js";
import { sendChecks } from "./send-checks.js";
import { walkChecks } from "./walk-checks.js";

// Checks the page of the explorer in a real browser: Debian's chromium, or the one that CHROMIUM names. The data is the demo's, webhooks of three
// eras with their dead letters, plus hostile bodies and a queue of a million messages. Exits with 1 when a check fails.

const args = readOptions({ load: true, only: "", pictures: false });
/** Parts of the titles of the checks to run, separated by `|`. */
const wanted = args.only.split("|");
const startedAt = Date.now();
let failures = 0;
const [command, ...leading] = packageManager();
await runProgram(command, [...leading, "--filter", "@waybill/explorer", "run", "prepare"]);

{
  await using stage = await openStage();
  const { sent, deadLetters, readable } = stage.facts;
  console.log(
    `${sent} webhooks, ${deadLetters} messages dead-lettered by an older consumer, ${readable} of them readable now`,
  );
  const picturesCheck = { title: "takes its pictures, light and dark", run: pictures };
  const changes = [...changeChecks, ...killedRepairChecks, ...goneBrokerChecks];
  const checks = [
    ...readChecks,
    ...listChecks,
    ...messageChecks,
    ...layoutChecks,
    ...lookChecks,
    ...letterChecks,
    ...beaconChecks,
    ...removalChecks,
    ...repairFormChecks,
    ...searchChecks,
    ...sendChecks,
    ...claimsChecks,
    ...walkChecks,
    ...restartChecks,
    ...changes,
    picturesCheck,
    ...(args.load ? loadChecks : []),
  ];
  for (const check of checks.filter(({ title }) => wanted.some((part) => title.includes(part))))
    await run(check, stage);
}
console.log(
  `${failures === 0 ? "all passed" : `${failures} failed`}, ${Math.round((Date.now() - startedAt) / 1000)} s`,
);
process.exit(failures === 0 ? 0 : 1);

async function pictures(stage: Stage): Promise<void> {
  using scratch = openScratch("pictures");
  const docs = fileURLToPath(new URL("../../../docs/pictures/", import.meta.url));
  await takePictures(stage, args.pictures ? docs : scratch.path);
}

async function run({ title, run: check }: Check, stage: Stage): Promise<void> {
  const begunAt = Date.now();
  try {
    await check(stage);
    console.log(`ok   ${title} (${Date.now() - begunAt} ms)`);
  } catch (error) {
    failures++;
    console.log(`FAIL ${title}\n     ${(error as Error).message.split("\n").slice(0, 12).join("\n     ")}`);
  }
}
