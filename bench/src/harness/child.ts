import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A program of the bench in a separate process, which sends a message when it is ready and then answers each message. */
export class Child<Ready> {
  readonly ready: Ready;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, ready: Ready) {
    this.#process = process;
    this.ready = ready;
  }

  /** Starts it; resolves when it is ready, rejects when it exits before. */
  static async start<Ready>(
    program: URL,
    args: readonly string[] = [],
    flags: readonly string[] = [],
  ): Promise<Child<Ready>> {
    const process = fork(fileURLToPath(program), args, {
      execArgv: [...flags],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    return new Child(process, await answerOf<Ready>(process));
  }

  /** Rejects when it exits before it answers. */
  ask<Answer>(message: object | string): Promise<Answer> {
    this.#process.send(message);
    return answerOf(this.#process);
  }

  /** Ends it and waits for its exit. */
  async stop(): Promise<void> {
    const ended = once(this.#process, "exit");
    this.#process.disconnect();
    await ended;
  }
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

async function answerOf<Answer>(child: ChildProcess): Promise<Answer> {
  const given = new AbortController();
  const { signal } = given;
  try {
    const ended = once(child, "exit", { signal }).then(([code]) => {
      throw new Error(`A process of the bench ended with ${code}.`);
    });
    const [answer] = await Promise.race([once(child, "message", { signal }), ended]);
    return answer as Answer;
  } finally {
    given.abort();
  }
}
