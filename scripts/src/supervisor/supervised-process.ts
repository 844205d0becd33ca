import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { pause } from "../run/waiting.js";

/** How a process is started, and what it is to do. */
export interface ProcessPlan {
  /** The program and its arguments. */
  readonly command: readonly [program: string, ...args: string[]];
  readonly env?: NodeJS.ProcessEnv;
  /** Whether what it writes to stderr is a finding. Default false: it goes to the script's own stderr. */
  readonly isStderrFinding?: boolean;
  /** Whether it is a finding when it ends by itself without an error. Default false. */
  readonly mustStay?: boolean;
  /** Whether a line of its stdout says that it is ready. Default none: its first message does. */
  readonly isReadyLine?: (line: string) => boolean;
}

/** A compiled program of ours as the command of a process. */
export function nodeCommand(
  program: URL,
  args: readonly (string | number)[] = [],
  flags: readonly string[] = [],
): readonly [string, ...string[]] {
  return [process.execPath, ...flags, fileURLToPath(program), ...args.map(String)];
}

/**
 * A process that is killed, or stopped, when the script says so. It says that it is ready by its first message over IPC, or by a line on stdout,
 * and answers each message that it gets.
 */
export class SupervisedProcess {
  /** What it did that it should not: ending by itself with an error, and what it wrote, where the plan says so. */
  readonly findings: string[] = [];
  /** All that it wrote to stdout and stderr, line by line. */
  readonly stdout: string[] = [];
  readonly stderr: string[] = [];
  /** Its first message, or the line that said so; undefined when it ended before. */
  readonly ready: Promise<unknown>;
  /** Its exit code once its output is read; `null` when a signal ended it. */
  readonly exit: Promise<number | null>;
  readonly #child: ChildProcess;
  #isOver = false;

  constructor(plan: ProcessPlan) {
    const { env, isStderrFinding = false, isReadyLine = () => false } = plan;
    const [program, ...args] = plan.command;
    this.#child = spawn(program, args, {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env: { ...process.env, ...env },
    });
    this.exit = this.#ended(plan.mustStay === true);
    const firstLine = new Promise<string>((resolve) => {
      this.#lines("stdout", (line) => {
        this.stdout.push(line);
        if (isReadyLine(line)) resolve(line);
      });
    });
    this.#lines("stderr", (line) => {
      this.stderr.push(line);
      if (isStderrFinding) this.findings.push(`the process said: ${line}`);
      else process.stderr.write(`${line}\n`);
    });
    const firstMessage = new Promise((resolve) => this.#child.once("message", resolve));
    this.ready = Promise.race([firstMessage, firstLine, this.exit.then(() => undefined)]);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Whether it has ended, or is killed. */
  get isOver(): boolean {
    return this.#isOver || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Asks it, and resolves with its next message. Rejects when it ends before. */
  async ask<Answer>(message: unknown): Promise<Answer> {
    const answer = once(this.#child, "message").then(([first]) => first as Answer);
    const ended = this.exit.then((code) => {
      throw new Error(`The process ended with ${code} before it answered.`);
    });
    this.tell(message);
    return await Promise.race([answer, ended]);
  }

  /** Sends it a message that it does not answer. */
  tell(message: unknown): void {
    this.#child.send(message as object);
  }

  /** `kill -9`. Resolves when it has ended. */
  async kill(): Promise<void> {
    this.#isOver = true;
    this.#child.kill("SIGKILL");
    await this.exit;
  }

  /** Kills it so long after its start, or after it was ready. */
  async killAfter(since: "start" | "ready", ms: number): Promise<void> {
    if (since === "ready") await this.ready;
    await Promise.race([this.exit, pause(ms)]);
    if (this.isOver && (await this.exit) === 0) this.findings.push("the process ended by itself with 0");
    await this.kill();
  }

  /** Asks it to stop, and kills it when that takes too long. Resolves with its exit code. */
  async stop(message: unknown, withinMs: number): Promise<number | null> {
    if (!this.isOver) this.tell(message);
    const deadline = setTimeout(() => void this.kill(), withinMs);
    const code = await this.exit;
    clearTimeout(deadline);
    return code;
  }

  async #ended(mustStay: boolean): Promise<number | null> {
    const [code] = (await once(this.#child, "close")) as [number | null];
    if (!this.#isOver && (code !== 0 || mustStay))
      this.findings.push(`the process ended by itself with ${code}`);
    return code;
  }

  #lines(stream: "stdout" | "stderr", take: (line: string) => void): void {
    const input = this.#child[stream];
    if (input !== null) createInterface({ input }).on("line", take);
  }
}
