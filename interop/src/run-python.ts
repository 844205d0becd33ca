import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Debian's interpreter; PYTHON names another one that has the modules. */
export const python = process.env.PYTHON ?? "/usr/bin/python3";

/** Runs a script of Python, for so long at most. Resolves with its exit code; 1 when it was stopped or could not start. */
export async function runPython(
  script: URL,
  args: readonly string[],
  { withinMs = 60_000, env = {} }: { readonly withinMs?: number; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<number> {
  const peer = spawn(python, [fileURLToPath(script), ...args], {
    stdio: "inherit",
    env: { ...process.env, ...env },
    timeout: withinMs,
  });
  return await new Promise((resolve) => {
    peer.on("error", () => resolve(1));
    peer.on("exit", (exitCode) => resolve(exitCode ?? 1));
  });
}
