import type { CommandRun } from "./command-host.js";

/** One command line of the walk. */
export interface WalkCase extends Pick<CommandRun, "input" | "keys" | "interruptAfter"> {
  /** What is typed after `waybill`, quoted as in a shell. */
  readonly line: string;
  readonly use: "good" | "bad";
  /** Instead of the usual environment with the broker's connection string. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Default: both. */
  readonly on?: "pipe" | "terminal" | undefined;
}

/** What a case may say besides its command line. */
export type CaseOptions = Omit<WalkCase, "line" | "use">;

/** A use that does what it is for; it may find something. */
export function good(line: string, options: CaseOptions = {}): WalkCase {
  return { line, use: "good", ...options };
}

/** A use that is refused. */
export function bad(line: string, options: CaseOptions = {}): WalkCase {
  return { line, use: "bad", ...options };
}

/** The words of a line: quotes keep blanks, as in a shell. */
export function wordsOf(line: string): string[] {
  return Array.from(line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g), ([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ""),
  );
}
