import { existsSync, openSync, readFileSync, writeSync } from "node:fs";
import type { Delivery, Effect, Found, LedgerLine } from "./lines.js";

/** Records operations for a ledger: before they are tried, and when they are acknowledged. */
export class Journal {
  readonly #write: (line: LedgerLine) => void;
  #at = 0;

  constructor(write: (line: LedgerLine) => void) {
    this.#write = write;
  }

  /** A journal in a file, without buffering: its lines survive a kill of the process. */
  static inFile(path: string): Journal {
    const descriptor = openSync(path, "a");
    return new Journal((line) => writeSync(descriptor, `${JSON.stringify(line)}\n`));
  }

  /** Runs an operation that has effects once it is acknowledged; without an acknowledgment its effects are unknown. */
  async attempt<Result>(
    verb: string,
    effects: readonly Effect[],
    act: () => Promise<Result>,
  ): Promise<Result> {
    const acknowledge = this.begin(verb, effects);
    const result = await act();
    acknowledge();
    return result;
  }

  /** The same for an operation that is acknowledged in another way, or never. */
  begin(verb: string, effects: readonly Effect[]): () => void {
    const triedAt = this.#now();
    this.#write(["try", triedAt, verb, effects]);
    return () => this.#write(["ok", triedAt, this.#now()]);
  }

  got(store: string, id: string, delivery: Delivery = {}): void {
    this.#write(["got", this.#now(), store, id, delivery]);
  }

  release(store: string, id: string): void {
    this.#write(["release", this.#now(), store, id]);
  }

  seen(store: string, sequence: string, id: string): void {
    this.#write(["seen", store, sequence, id]);
  }

  found(things: Found["things"], sequences: Found["sequences"] = []): void {
    this.#write(["found", this.#now(), { things, sequences }]);
  }

  note(what: string): void {
    this.#write(["note", what]);
  }

  /** An error that a client may get. `where` stands before its code. */
  error(error: unknown, where?: string): void {
    this.#write(["error", where === undefined ? nameOf(error) : `${where} ${nameOf(error)}`]);
  }

  violation(text: string): void {
    this.#write(["violation", text]);
  }

  /** The wall clock in ms, which all processes share; never the same time twice. */
  #now(): number {
    this.#at = Math.max(Date.now(), this.#at + 2 ** -10);
    return this.#at;
  }
}

/** The lines of a journal's file. The last one may be cut short by a kill. */
export function readJournal(path: string): LedgerLine[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as LedgerLine);
}

function nameOf(error: unknown): string {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  // The SDK's code for what it has no code for.
  return code === "GeneralError" ? `${code}: ${message}` : String(code ?? message ?? error);
}
