import { join } from "node:path";
import { type ProcessPlan, SupervisedProcess } from "waybill-harness/supervised-process.js";
import { readJournal } from "../ledger/journal.js";
import type { Ledger } from "../ledger/ledger.js";

type Command = ProcessPlan["command"];

/** The command of a generation, which records its operations in the journal file. */
export type StartGeneration = (generation: number, journalFile: string) => Command;

/** Generations of a process: each uses the same data and is killed. The ledger reads the journal of each. */
export class Generations {
  readonly #folder: string;
  readonly #ledger: Ledger;
  readonly #commandOf: StartGeneration;
  readonly #findings: string[] = [];

  constructor(folder: string, ledger: Ledger, commandOf: StartGeneration) {
    this.#folder = folder;
    this.#ledger = ledger;
    this.#commandOf = commandOf;
  }

  /** Kills a generation: a fifth of the kills are during start and recovery, the others during its work. */
  async runAndKill(generation: number, random: (below: number) => number, mostMs = 300): Promise<void> {
    await this.runAndKillAt(generation, random(5) === 0 ? "start" : "ready", random(mostMs));
  }

  /** Kills a generation a given time after its start, or after it was ready. */
  async runAndKillAt(generation: number, since: "start" | "ready", delayMs: number): Promise<void> {
    const child = this.#start(generation);
    await child.killAfter(since, delayMs);
    this.#findings.push(...child.findings.map((text) => `generation ${generation}: ${text}`));
    this.#read(generation);
  }

  /** Waits until a generation ends; `wrap` changes its command. Kills it if that takes too long. Resolves with its exit code. */
  async runToEnd(
    generation: number,
    withinMs: number,
    wrap?: (command: Command) => Command,
  ): Promise<number | null> {
    const child = this.#start(generation, wrap);
    const deadline = setTimeout(() => void child.kill(), withinMs);
    const code = await child.exit;
    clearTimeout(deadline);
    this.#read(generation);
    return code;
  }

  /** The violations so far. */
  violations(): string[] {
    return [...this.#findings, ...this.#ledger.violations()];
  }

  #start(generation: number, wrap = (command: Command) => command): SupervisedProcess {
    return new SupervisedProcess({ command: wrap(this.#commandOf(generation, this.#journalOf(generation))) });
  }

  #read(generation: number): void {
    this.#ledger.read(readJournal(this.#journalOf(generation)), `generation ${generation}`);
  }

  #journalOf(generation: number): string {
    return join(this.#folder, `journal-${generation}`);
  }
}
