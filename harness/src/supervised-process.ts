import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { pause } from "./waiting.js";

/** How a process is started, and what is expected of it. */
export interface ProcessPlan {
  /** The program and its arguments. */
  readonly command: readonly [program: string, ...args: string[]];
  readonly env?: NodeJS.ProcessEnv;
  /** Whether its output to stderr is a finding. Default false: it is passed to the script's stderr. */
  readonly isStderrFinding?: boolean;
  /** Whether it is a finding if it ends by itself without an error. Default false. */
  readonly mustStay?: boolean;
  /** Whether a line of its stdout means that it is ready. Default: it is ready with its first message. */
  readonly isReadyLine?: (line: string) => boolean;
}

/** The command to run one of our compiled programs. */
export function nodeCommand(
  program: URL,
  args: readonly (string | number)[] = [],
  flags: readonly string[] = [],
): readonly [string, ...string[]] {
  return [process.execPath, ...flags, fileURLToPath(program), ...args.map(String)];
}

/**
 * A process that the script can kill or stop. It reports that it is ready with its first message over IPC, or with a line on stdout,
 * and answers each message that it gets.
 */
export class SupervisedProcess {
  /** Its faults: that it ended by itself with an error, and its output to stderr with `isStderrFinding`. */
  readonly findings: string[] = [];
  /** Its output to stdout and stderr, by line. */
  readonly stdout: string[] = [];
  readonly stderr: string[] = [];
  /** Its first message, or its ready line; undefined if it ended before. */
  readonly ready: Promise<unknown>;
  /** Its exit code, after its output was read; `null` if a signal ended it. */
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
      if (isStderrFinding) this.findings.push(`the process wrote to stderr: ${line}`);
      else process.stderr.write(`${line}\n`);
    });
    const firstMessage = new Promise((resolve) => this.#child.once("message", resolve));
    this.ready = Promise.race([firstMessage, firstLine, this.exit.then(() => undefined)]);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Whether it has ended or is being killed. */
  get isOver(): boolean {
    return this.#isOver || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Sends it a message, and resolves with its next message. Rejects if it ends before. */
  async ask<Answer>(message: unknown): Promise<Answer> {
    const answer = once(this.#child, "message").then(([first]) => first as Answer);
    const ended = this.exit.then((code) => {
      throw new Error(`The process ended with ${code} before it answered.`);
    });
    this.send(message);
    return await Promise.race([answer, ended]);
  }

  /** Sends it a message that it does not answer. */
  send(message: unknown): void {
    this.#child.send(message as object);
  }

  /** `kill -9`. Resolves when it has ended. */
  async kill(): Promise<void> {
    this.#isOver = true;
    this.#child.kill("SIGKILL");
    await this.exit;
  }

  /** Kills it a given time after its start, or after it was ready. */
  async killAfter(since: "start" | "ready", ms: number): Promise<void> {
    if (since === "ready") await this.ready;
    await Promise.race([this.exit, pause(ms)]);
    if (this.isOver && (await this.exit) === 0) this.findings.push("the process ended by itself with 0");
    await this.kill();
  }

  /** Sends it a message to stop, and kills it if that takes too long. Resolves with its exit code. */
  async stop(message: unknown, withinMs: number): Promise<number | null> {
    if (!this.isOver) this.send(message);
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
