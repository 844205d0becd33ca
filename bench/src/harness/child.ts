import { fileURLToPath } from "node:url";
import { run } from "waybill-harness/run-program.js";
import { nodeCommand, SupervisedProcess } from "waybill-harness/supervised-process.js";

/** Starts a program of the bench in a process of its own, which says something when it is ready and then answers each message. */
export async function startChild<Ready>(
  program: URL,
  args: readonly string[] = [],
  flags: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<{ readonly ready: Ready; readonly process: SupervisedProcess }> {
  const process = new SupervisedProcess({ command: nodeCommand(program, args, flags), env });
  const ready = await process.ready;
  if (ready === undefined) throw new Error(`A process of the bench ended: ${process.findings.join(", ")}.`);
  return { ready: ready as Ready, process };
}

/** The JSON output of a program: one or several figures. Its process has `--expose-gc`. */
export async function printed<Printed = number>(
  program: URL,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<Printed> {
  const command = ["--expose-gc", fileURLToPath(program), ...args];
  const { stdout } = await run(process.execPath, command, { env: { ...process.env, ...env } });
  return JSON.parse(stdout) as Printed;
}
