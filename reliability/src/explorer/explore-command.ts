import { nodeCommand, SupervisedProcess } from "waybill-harness/supervised-process.js";
import type { OpenPage, Stage } from "./browser.js";

/** `waybill explore` as a process of its own, connected by a connection string, and its page. */
export interface OpenCommand extends AsyncDisposable {
  readonly opened: OpenPage;
  readonly url: string;
  /** Ends the process; the page stays. */
  kill(): Promise<void>;
  /** Interrupts it as Ctrl+C does, and returns what it wrote to stderr, also before. */
  interrupt(): Promise<readonly string[]>;
}

/** Starts the command and opens its link. */
export async function openCommand(
  stage: Stage,
  connectionString: string,
  args: readonly string[],
): Promise<OpenCommand> {
  const command = await startCommand(stage, connectionString, args);
  const opened = await stage.openAt(command.url);
  return {
    ...command,
    opened,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await command.kill();
    },
  };
}

/** Starts the command. */
export async function startCommand(stage: Stage, connectionString: string, args: readonly string[]) {
  const bin = new URL("../../../packages/cli/dist/bin.js", import.meta.url);
  const explorer = new SupervisedProcess({
    command: nodeCommand(bin, [
      "explore",
      "--json",
      "--allow-changes",
      "--directory",
      stage.directory,
      ...args,
    ]),
    env: { SERVICEBUS_CONNECTION_STRING: connectionString },
    isReadyLine: (line) => line.startsWith("{"),
  });
  const { url } = JSON.parse(String(await explorer.ready)) as { url: string };
  return {
    url,
    kill: async () => void (await explorer.kill()),
    async interrupt() {
      process.kill(explorer.pid, "SIGINT");
      await explorer.exit;
      return explorer.stderr;
    },
  };
}
