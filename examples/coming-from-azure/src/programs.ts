import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** An order as a consumer handled it. */
export interface HandledOrder {
  readonly id: number;
  readonly cents: number;
  readonly how: string;
}

/** A consumer in a separate process. */
export interface RunningConsumer {
  /** Asks it to stop, and resolves when it has. Rejects when it failed. */
  stop(): Promise<void>;
}

/** Runs a producer until it exits. Rejects when it fails. */
export async function runProducer(
  program: string,
  range: readonly [number, number],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  await ended(start(program, range.map(String), env), program);
}

/** Starts a consumer, which reports every order that it handled. */
export function startConsumer(
  program: string,
  env: Readonly<Record<string, string>>,
  onHandled: (order: HandledOrder) => void,
): RunningConsumer {
  const child = start(program, [], env);
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on("line", (line) => onHandled(JSON.parse(line)));
  const end = ended(child, program);
  // A failure is reported by `stop`.
  end.catch(() => {});
  return {
    stop() {
      child.stdin?.end();
      return end;
    },
  };
}

function start(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): ChildProcess {
  const path = fileURLToPath(new URL(`./${program}.js`, import.meta.url));
  return spawn(process.execPath, [path, ...args], {
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
}

async function ended(child: ChildProcess, program: string): Promise<void> {
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${program} ended with ${code}.`);
}
