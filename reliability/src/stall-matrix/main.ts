import { writeMarked } from "waybill-harness/fill-marked.js";
import { readOptions } from "waybill-harness/options.js";
import { conclude } from "../ledger/verdict.js";
import { receiverKinds } from "./receiver-kinds.js";
import { type CellOptions, type CellResult, faults, runCell } from "./run-cell.js";
import { boundMs, drawTable, violationOf } from "./table.js";

// Injects each fault into a link, a connection or a broker for each kind of receiver, and measures how long it takes until all messages are received
// that were sent after it: with the watchdog, and without. Exits with 1 if it takes too long. `--write` puts the table into
// docs/stalls.md.

const { write, together, ...args } = readOptions({
  stall: 30_000,
  answer: 10_000,
  lock: 10_000,
  "give-up": 90_000,
  together: 10,
  write: false,
});
const timeoutMs = args["give-up"];
const bounds = { stallTimeoutMs: args.stall, answerTimeoutMs: args.answer, lockDurationMs: args.lock };
const watchdog = { stallTimeoutInMs: bounds.stallTimeoutMs, answerTimeoutInMs: bounds.answerTimeoutMs };
const page = new URL("../../../docs/stalls.md", import.meta.url);

const watched = await runAll(watchdog);
const unwatched = await runAll(false);
const table = drawTable(watched, unwatched);
console.log(`\n${table}\n`);
const violations = watched.flatMap((result) => violationOf(result, bounds) ?? []);
console.log(
  `${watched.length} cells, ${watched.length - violations.length} recovered within ${boundMs(bounds)} ms; without the watchdog ` +
    `${unwatched.filter(({ recoveryMs }) => recoveryMs !== undefined).length} within ${timeoutMs} ms`,
);
if (write) writeMarked(page, "stall-matrix", table);
conclude(violations, "Every cell recovered in time");
process.exit();

async function runAll(watching: CellOptions["watchdog"]): Promise<CellResult[]> {
  const cells = Object.keys(faults).flatMap((fault) =>
    Object.keys(receiverKinds).map((kind) => ({ fault, kind })),
  );
  const results: CellResult[] = [];
  const take = async (): Promise<void> => {
    for (let cell = cells.shift(); cell !== undefined; cell = cells.shift()) {
      const { lockDurationMs } = bounds;
      const result = await runCell({ ...cell, watchdog: watching, lockDurationMs, timeoutMs });
      results.push(result);
      const evidence = result.stalls.map((stall) => `${stall.evidence} after ${stall.silenceInMs} ms`);
      const took = result.recoveryMs === undefined ? "never" : `${result.recoveryMs.toFixed(0)} ms`;
      console.log(
        `${watching === false ? "without" : "with"}: ${cell.kind}, ${cell.fault}: ${took} ${evidence.join(", ")}`,
      );
    }
  };
  await Promise.all(Array.from({ length: together }, take));
  const order = Object.keys(faults);
  return results.sort((a, b) => order.indexOf(a.fault) - order.indexOf(b.fault));
}
