import { run } from "./run.js";

/** Runs the `waybill` command with the arguments of this process, and ends the process with its exit code. */
export async function runAsProgram(): Promise<never> {
  await run(process.argv.slice(2));
  // After an aborted wait for a session the SDK keeps a timer for up to a minute: end the process without waiting for it.
  for (const stream of [process.stdout, process.stderr])
    await new Promise((resolve) => stream.write("", resolve));
  process.exit();
}
