import { SingleBar } from "cli-progress";
import Table from "cli-table3";
import pc from "picocolors";
import { printable } from "./printable.js";
import { toJson } from "./to-json.js";

/** The width of a table in a narrower terminal or without one, and the minimum of a column. */
const minTableWidth = 100;
const minColumnWidth = 8;

/** The width of `2026-11-05T`: the time is on the next line. */
const dateWidth = 11;

/** Half of an id of 32 characters. */
const yieldedWidth = 16;

/** How many rows are laid out together. */
const rowsAtOnce = 500;

/** Shows the progress of long work. */
export type ShowProgress = (count: number, total?: number) => void;

/** A cell; undefined if it is empty. */
export type Cell = string | number | bigint | Date | undefined;

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

  /**
   * A table as wide as the terminal, or 100 columns, in which long cells take several lines. A long table is split into several, because layout
   * takes time quadratic in the number of rows. The columns named in `yielding` are the first to be narrowed. Empty columns are left out.
   */
  table(head: readonly string[], rows: readonly (readonly Cell[])[], yielding: readonly string[] = []): void {
    const isEmpty = rows.length === 0;
    const filled = head.map((_, column) => isEmpty || rows.some((row) => row[column] !== undefined));
    const isFilled = (_: unknown, column: number) => filled[column];
    const shown = rows.map((row) => row.filter(isFilled));
    for (let start = 0; start === 0 || start < rows.length; start += rowsAtOnce)
      this.#tableOf(head.filter(isFilled), shown.slice(start, start + rowsAtOnce), yielding);
  }

  #tableOf(head: readonly string[], rows: readonly (readonly Cell[])[], yielding: readonly string[]): void {
    const texts = rows.map((row) => row.map(cellText));
    const colWidths = columnWidths(
      head,
      texts,
      Math.max(process.stdout.columns ?? 0, minTableWidth),
      yielding,
    );
    const colAligns = head.map((_, column) => (rows.some((row) => isCount(row[column])) ? "right" : "left"));
    const layOut = (lines: readonly (readonly string[])[]) => {
      const table = new Table({
        colWidths,
        wordWrap: true,
        wrapOnWordBoundary: false,
        chars: noLines,
        style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
        colAligns,
      });
      for (const line of lines) table.push([...line]);
      return table.toString().replace(/ +$/gm, "");
    };
    // In bold only when they are laid out: the library would cut the codes of the terminal as though they were text.
    this.line(layOut([head]).replace(/^.+$/gm, (line) => this.colors.bold(line)));
    if (texts.length > 0) this.line(layOut(texts));
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

const noLines = Object.freeze({
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "  ",
});

/**
 * As wide as their longest cells. If that exceeds the table's width, instants take two lines, then the columns named in `yielding` are narrowed,
 * and then repeatedly the widest one.
 */
function columnWidths(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  available: number,
  yielding: readonly string[],
): number[] {
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const gaps = noLines.middle.length * (head.length - 1);
  if (sum(widths) + gaps > available) {
    for (const [column, width] of widths.entries())
      if (rows.every((row) => isInstantOrNothing(row[column]))) widths[column] = Math.min(width, dateWidth);
  }
  for (let total = sum(widths) + gaps; total > available; total--) {
    const first = head.findIndex((name, at) => yielding.includes(name) && (widths[at] ?? 0) > yieldedWidth);
    const widest = first >= 0 ? first : widths.indexOf(Math.max(...widths));
    const width = widths[widest] ?? 0;
    if (width <= minColumnWidth) break;
    widths[widest] = width - 1;
  }
  return widths;
}

/** Whether a cell is an instant or empty. */
function isInstantOrNothing(text: string | undefined): boolean {
  return text === undefined || text === "-" || /^\d{4}-\d{2}-\d{2}T[\d:]{8}Z$/.test(text);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function isCount(cell: Cell): boolean {
  return typeof cell === "number" || typeof cell === "bigint";
}

function cellText(cell: Cell): string {
  if (cell === undefined) return "-";
  if (cell instanceof Date) return cell.toISOString().replace(/\.\d{3}Z$/, "Z");
  return typeof cell === "string" ? printable(cell) : String(cell);
}
