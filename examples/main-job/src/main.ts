import { type JobOptions, parseOptions, usage } from "./options.js";

const options = readCommandLine();
if (options?.isHelpWanted) console.log(usage);
else if (options !== undefined) {
  // The command line is checked before everything else is loaded.
  const { run } = await import("./run.js");
  if (!(await run(options, console.log))) process.exitCode = 1;
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
