import { fileURLToPath } from "node:url";
import { openStage, type Stage } from "./explorer-browser/browser.js";
import { changeChecks } from "./explorer-browser/change-checks.js";
import type { Check } from "./explorer-browser/check.js";
import { loadChecks } from "./explorer-browser/load-checks.js";
import { takePictures } from "./explorer-browser/pictures.js";
import { readChecks } from "./explorer-browser/read-checks.js";
import { readOptions } from "./run/options.js";
import { openScratch } from "./run/waiting.js";

// Checks the page of the explorer in a real browser: Debian's chromium, or the one that CHROMIUM names. The data is the demo's, webhooks of three
// eras with their dead letters, plus hostile bodies and a queue of a million messages. Exits with 1 when a check fails.
// Usage: explorer-browser [--no-load] [--only text] [--pictures]    --pictures writes those of the docs

const args = readOptions({ load: true, only: "", pictures: false });
const startedAt = Date.now();
let failures = 0;

{
  await using stage = await openStage();
  const { sent, deadLetters, readable } = stage.facts;
  console.log(
    `${sent} webhooks, ${deadLetters} messages dead-lettered by an older consumer, ${readable} of them readable now`,
  );
  const picturesCheck = { title: "takes its pictures, light and dark", run: pictures };
  const checks = [...readChecks, ...changeChecks, picturesCheck, ...(args.load ? loadChecks : [])];
  for (const check of checks.filter(({ title }) => title.includes(args.only))) await run(check, stage);
}
console.log(
  `${failures === 0 ? "all passed" : `${failures} failed`}, ${Math.round((Date.now() - startedAt) / 1000)} s`,
);
process.exit(failures === 0 ? 0 : 1);

async function pictures(stage: Stage): Promise<void> {
  using scratch = openScratch("pictures");
  const docs = fileURLToPath(new URL("../../docs/pictures/", import.meta.url));
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
