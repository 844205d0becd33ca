import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A running program of a deployment: prints a JSON line for each thing that it did, and stops when its input ends. */
export class Program<Line> {
  readonly name: string;
  /** Its exit code, after its output was read; `null` if it was killed. */
  readonly exit: Promise<number | null>;
  /** What it printed to stderr. */
  readonly complaints: string[] = [];
  readonly #child: ChildProcess;

  constructor(
    name: string,
    program: string,
    args: readonly (string | number)[],
    env: Readonly<Record<string, string>>,
    onLine: (line: Line) => void,
  ) {
    this.name = name;
    this.#child = spawn(process.execPath, [program, ...args.map(String)], {
      env: { ...process.env, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    // The last line of a killed program may be cut off.
    this.#lines("stdout", (line) => line.endsWith("}") && onLine(JSON.parse(line) as Line));
    this.#lines("stderr", (line) => this.complaints.push(line));
    this.exit = once(this.#child, "close").then(([code]) => code as number | null);
    this.#child.stdin?.on("error", () => {});
  }

  /** Its process id. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Whether it is one of these instances, which announced themselves: its process id stands in its name. */
  isAmong(instances: readonly string[]): boolean {
    return instances.some((instance) => instance.includes(`-${this.pid}-`));
  }

  /** Asks it to stop, as a deployment does. Resolves when it has. */
  async stop(): Promise<void> {
    this.#child.stdin?.end();
    await this.exit;
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.exit;
  }

  #lines(stream: "stdout" | "stderr", take: (line: string) => void): void {
    const input = this.#child[stream];
    if (input !== null) createInterface({ input }).on("line", take);
  }
}
