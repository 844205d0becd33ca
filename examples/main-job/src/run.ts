import { Presets, SingleBar } from "cli-progress";
import { openTransport } from "./open-transport.js";
import type { JobOptions } from "./options.js";
import { originsReport } from "./origins/report.js";
import { originsQueue, runOrigins } from "./origins/run-origins.js";
import { conclusion, introduction } from "./report.js";
import { jobQueue, runJob } from "./run-job.js";

/** Runs the job and prints its report. Returns whether all went as planned. */
export async function run(
  { messageCount, transport, connectionString, isBarShown }: JobOptions,
  print: (text: string) => void,
): Promise<boolean> {
  print(introduction(messageCount, transport, connectionString !== undefined));
  await using opened = await openTransport(transport, [jobQueue, originsQueue], connectionString);
  // On anything but a terminal the bar draws nothing.
  const format = "{bar} {percentage} % · {value} of {total} · {eta_formatted} left";
  const bar = new SingleBar({ format }, Presets.shades_classic);
  if (isBarShown) bar.start(messageCount, 0);
  const result = await runJob(messageCount, opened.transport, (count) => bar.update(count));
  bar.stop();
  print(conclusion(result));
  const origins = await runOrigins(opened.transport);
  print(originsReport(origins));
  return result.findingCount + origins.findings.length === 0;
}
