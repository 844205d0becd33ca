import { Presets, SingleBar } from "cli-progress";
import { openTransport } from "./open-transport.js";
import type { JobOptions } from "./options.js";
import { originsReport } from "./origins/report.js";
import { originsQueue, runOrigins } from "./origins/run-origins.js";
import { conclusion, introduction } from "./report.js";
import { jobQueue, runJob } from "./run-job.js";

/** Runs the job and prints its report. Sets the exit code when anything differs from the plan. */
export async function run({
  messageCount,
  transport,
  connectionString,
  isBarShown,
}: JobOptions): Promise<void> {
  console.log(introduction(messageCount, transport, connectionString !== undefined));
  await using opened = await openTransport(transport, [jobQueue, originsQueue], connectionString);
  // On anything but a terminal the bar draws nothing.
  const format = "{bar} {percentage} % · {value} of {total} · {eta_formatted} left";
  const bar = new SingleBar({ format }, Presets.shades_classic);
  if (isBarShown) bar.start(messageCount, 0);
  const result = await runJob(messageCount, opened.transport, (count) => bar.update(count));
  bar.stop();
  console.log(conclusion(result));
  const origins = await runOrigins(opened.transport);
  console.log(originsReport(origins));
  if (result.findingCount + origins.findings.length > 0) process.exitCode = 1;
}
