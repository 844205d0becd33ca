import { SingleBar } from "cli-progress";
import pc from "picocolors";
import { printable } from "./printable.js";
import { type Cell, tableText } from "./table-text.js";
import { toJson } from "./to-json.js";

/** The width of a table that is not shown in a terminal. */
const widthWithoutTerminal = 100;

/** Shows the progress of long work. */
export type ShowProgress = (count: number, total?: number) => void;

/** Writes a command's result to the standard output, everything else to the standard error. */
export class Terminal {
  /** Whether results are JSON: with `--json`, or if the standard output is not a terminal. */
  readonly isJson: boolean;
  readonly colors: ReturnType<typeof pc.createColors>;

  constructor(json: boolean | undefined) {
    this.isJson = json ?? !process.stdout.isTTY;
    this.colors = pc.createColors(isColorful(process.stdout));
  }

  /** A whole result as JSON. */
  json(value: unknown): void {
    process.stdout.write(`${toJson(value, 2)}\n`);
  }

  /** One of many results: a line of JSON. */
  jsonLine(value: unknown): void {
    process.stdout.write(`${toJson(value)}\n`);
  }

  /** Lines that a machine reads, as they are. */
  text(text: string): void {
    process.stdout.write(printable(text));
  }

  /** A line of the result, which may be coloured; names from messages go through {@link printable} first. */
  line(text = ""): void {
    process.stdout.write(`${text}\n`);
  }

  /** A table, see {@link tableText}. Its columns are as narrow as the terminal needs; without one it has 100 columns. */
  table(head: readonly string[], rows: readonly (readonly Cell[])[], yielding: readonly string[] = []): void {
    const width = process.stdout.isTTY ? process.stdout.columns : widthWithoutTerminal;
    for (const text of tableText(head, rows, { width, yielding, bold: this.colors.bold })) this.line(text);
  }

  /** Resolves when everything so far was written to the standard output. If it cannot be written, the process ends. */
  written(): Promise<void> {
    return new Promise((resolve) => {
      process.stdout.write("", (error) => {
        if (error === undefined || error === null) resolve();
      });
    });
  }

  /** Writes a note to the standard error. */
  note(text: string): void {
    process.stderr.write(`${printable(text)}\n`);
  }

  /** Does long work with a progress bar on the standard error, if that is a terminal. */
  async withProgress<Result>(what: string, work: (show: ShowProgress) => Promise<Result>): Promise<Result> {
    if (!process.stderr.isTTY) return await work(() => {});
    const bar = progressBar(what);
    try {
      return await work(bar.show);
    } finally {
      bar.stop();
    }
  }
}

/** NO_COLOR and FORCE_COLOR override what the stream is. Source: no-color.org, force-color.org. */
export function isColorful(stream: { readonly isTTY?: boolean }): boolean {
  const { NO_COLOR: noColor = "", FORCE_COLOR: forceColor, TERM: term } = process.env;
  if (noColor !== "") return false;
  if (forceColor !== undefined) return forceColor !== "0" && forceColor !== "false";
  return stream.isTTY === true && term !== "dumb";
}

function progressBar(what: string): { readonly show: ShowProgress; stop(): void } {
  let bar: SingleBar | undefined;
  return {
    show(count, total) {
      if (bar === undefined) {
        const format = total === undefined ? `{value} ${what}` : `{bar} {value}/{total} ${what}`;
        bar = new SingleBar({ format, stream: process.stderr, clearOnComplete: true, barsize: 30 });
        bar.start(total ?? 0, 0);
      }
      if (total !== undefined && count > total) bar.setTotal(count);
      bar.update(count);
    },
    stop: () => bar?.stop(),
  };
}
