import { Presets, SingleBar } from "cli-progress";
import { openTransport } from "./open-transport.js";
import { type JobOptions, parseOptions, usage } from "./options.js";
import { originsReport } from "./origins/report.js";
import { originsQueue, runOrigins } from "./origins/run-origins.js";
import { conclusion, introduction } from "./report.js";
import { jobQueue, runJob } from "./run-job.js";

const options = readCommandLine();
if (options?.isHelpWanted) console.log(usage);
else if (options !== undefined) await run(options);

async function run({ messageCount, transport, connectionString, isBarShown }: JobOptions): Promise<void> {
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

function readCommandLine(): JobOptions | undefined {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exitCode = 2;
    return undefined;
  }
}
