import { SingleBar } from "cli-progress";
import Table from "cli-table3";
import pc from "picocolors";
import { printable } from "./printable.js";
import { toJson } from "./to-json.js";

/** How many rows are laid out together. */
const rowsAtOnce = 500;

/** How far long work is: `what` it counts, so far and, where known, in total. */
export interface Progress {
  update(count: number, total: number | undefined): void;
  stop(): void;
}

/** A cell, or nothing to tell. */
export type Cell = string | number | bigint | Date | undefined;

/** Where a command writes: its result to the standard output, all else to the standard error. */
export class Terminal {
  /** Whether results are JSON: when asked for, or when nobody looks. */
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

  /** A line of the result, which may be coloured; names from messages go through {@link printable} first. */
  line(text = ""): void {
    process.stdout.write(`${text}\n`);
  }

  /** A table without lines, as wide as its content; a long one as several, because laying one out takes time by the square of its rows. */
  table(head: readonly string[], rows: readonly (readonly Cell[])[]): void {
    for (let start = 0; start === 0 || start < rows.length; start += rowsAtOnce)
      this.#tableOf(head, rows.slice(start, start + rowsAtOnce));
  }

  #tableOf(head: readonly string[], rows: readonly (readonly Cell[])[]): void {
    const table = new Table({
      head: head.map((name) => this.colors.bold(name)),
      chars: noLines,
      style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
      colAligns: head.map((_, column) => (rows.some((row) => isCount(row[column])) ? "right" : "left")),
    });
    for (const row of rows) table.push(row.map(cellText));
    this.line(table.toString().replace(/ +$/gm, ""));
  }

  /** Resolves when the standard output has taken all that was written so far; never when it cannot: then the process ends. */
  written(): Promise<void> {
    return new Promise((resolve) => {
      process.stdout.write("", (error) => {
        if (error === undefined || error === null) resolve();
      });
    });
  }

  /** Something to know beside the result. */
  note(text: string): void {
    process.stderr.write(`${printable(text)}\n`);
  }

  /** A bar on the standard error, when that is a terminal. */
  progress(what: string): Progress {
    if (!process.stderr.isTTY) return { update() {}, stop() {} };
    return progressBar(what);
  }
}

/** NO_COLOR and FORCE_COLOR count before what the stream is. Source: no-color.org, force-color.org. */
export function isColorful(stream: { readonly isTTY?: boolean }): boolean {
  const { NO_COLOR = "", FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR !== "") return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return stream.isTTY === true && TERM !== "dumb";
}

function progressBar(what: string): Progress {
  let bar: SingleBar | undefined;
  return {
    update(count, total) {
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

function isCount(cell: Cell): boolean {
  return typeof cell === "number" || typeof cell === "bigint";
}

function cellText(cell: Cell): string {
  if (cell === undefined) return "-";
  if (cell instanceof Date) return cell.toISOString().replace(/\.\d{3}Z$/, "Z");
  return typeof cell === "string" ? printable(cell) : String(cell);
}
