import Table from "cli-table3";
import stringWidth from "string-width";
import { printable } from "./printable.js";

/** A cell; undefined if it is empty. */
export type Cell = string | number | bigint | Date | undefined;

/** How a table is laid out. */
export interface TableLayout {
  /** How many columns of the terminal it may take. */
  readonly width: number;
  /** The names of the columns that are narrowed first. */
  readonly yielding: readonly string[];
  /** Writes a text in bold. */
  readonly bold: (text: string) => string;
}

/** The minimum of a column. */
const minColumnWidth = 8;

/** The width of `2026-11-05T`: the time is on the next line. */
const dateWidth = 11;

/** Half of an id of 32 characters. */
const yieldedWidth = 16;

/** How many rows are laid out together. */
const rowsAtOnce = 500;

const between = "  ";

/**
 * A table in which long cells take several lines. Widths are those on the screen: Chinese characters take two columns, an emoji of several code points
 * two. A terminal too narrow for a table gets a block of lines for each row. A long table is split into several texts, because layout takes time
 * quadratic in the number of rows. Empty columns are left out.
 */
export function* tableText(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  layout: TableLayout,
): Generator<string> {
  const isEmpty = rows.length === 0;
  const filled = head.map((_, column) => isEmpty || rows.some((row) => row[column] !== undefined));
  const isFilled = (_: unknown, column: number) => filled[column];
  const names = head.filter(isFilled);
  const shown = rows.map((row) => row.filter(isFilled));
  const narrowest = names.length * (minColumnWidth + between.length) - between.length;
  const write = narrowest > layout.width && !isEmpty ? blocksOf : tableOf;
  for (let start = 0; start === 0 || start < rows.length; start += rowsAtOnce)
    yield* write(names, shown.slice(start, start + rowsAtOnce), layout);
}

function* tableOf(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  { width, yielding, bold }: TableLayout,
): Generator<string> {
  const texts = rows.map((row) => row.map(cellText));
  const widths = columnWidths(head, texts, width, yielding);
  const colAligns = head.map((_, column) => (rows.some((row) => isCount(row[column])) ? "right" : "left"));
  const layOut = (lines: readonly (readonly string[])[]) => {
    const table = new Table({ colWidths: widths, chars: noLines, style: noStyle, colAligns });
    for (const line of lines) table.push(line.map((text, column) => wrapped(text, widths[column] ?? 1)));
    return table.toString().replace(/ +$/gm, "");
  };
  // In bold only when they are laid out: the library would cut the codes of the terminal as though they were text.
  yield layOut([head]).replace(/^.+$/gm, bold);
  if (texts.length > 0) yield layOut(texts);
}

/** A line for each cell, and an empty one after each row. */
function* blocksOf(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  { bold }: TableLayout,
): Generator<string> {
  for (const row of rows) {
    for (const [column, name] of head.entries())
      if (row[column] !== undefined) yield `${bold(name)} ${cellText(row[column])}`;
    yield "";
  }
}

/**
 * As wide as their longest cells. If that exceeds the table's width, instants take two lines, then the columns named in `yielding` are narrowed,
 * and then repeatedly the widest one, as long as there is any of those whose words keep room.
 */
function columnWidths(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  available: number,
  yielding: readonly string[],
): number[] {
  const widths = head.map((name, column) =>
    Math.max(stringWidth(name), ...rows.map((row) => widthOf(row[column] ?? ""))),
  );
  const gaps = between.length * (head.length - 1);
  if (sum(widths) + gaps > available) {
    for (const [column, width] of widths.entries())
      if (rows.every((row) => isInstantOrNothing(row[column]))) widths[column] = Math.min(width, dateWidth);
  }
  const words = head.map((_, column) => Math.max(0, ...rows.map((row) => wordWidthOf(row[column] ?? ""))));
  for (let total = sum(widths) + gaps; total > available; total--) {
    const first = head.findIndex((name, at) => yielding.includes(name) && (widths[at] ?? 0) > yieldedWidth);
    const roomy = Math.max(...widths.filter((width, at) => width > (words[at] ?? 0)));
    const isWhole = roomy > minColumnWidth;
    const widest = widths.findIndex((width, at) =>
      isWhole ? width === roomy && width > (words[at] ?? 0) : width === Math.max(...widths),
    );
    const narrowed = first >= 0 ? first : widest;
    const width = widths[narrowed] ?? 0;
    if (width <= minColumnWidth) break;
    widths[narrowed] = width - 1;
  }
  return widths;
}

/** The width of the longest part that no line should break. */
function wordWidthOf(text: string): number {
  if (text.length > 1 && isInstantOrNothing(text)) return dateWidth;
  return Math.max(...text.split(/(?<=[\s/.,:;@_-])/).map((word) => stringWidth(word.trimEnd())));
}

const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** After these characters a line may end; what comes next begins the next one. */
const breaksAfter = /[\s/.,:;@_-]/;

/**
 * A text in lines of at most `width` columns: a line ends after a blank or a mark such as `/` or `-` if there is one after its first third. No character
 * is split, however many code points it has.
 */
function wrapped(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (isInstantOrNothing(text)) return text.replace("T", "T\n");
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    let current: string[] = [];
    let taken = 0;
    for (const { segment } of characters.segment(line)) {
      const next = stringWidth(segment);
      if (taken + next > width && current.length > 0) {
        const end = segment === " " ? current.length : breakOf(current);
        lines.push(current.slice(0, end).join("").trimEnd());
        current = current.slice(end);
        taken = stringWidth(current.join(""));
        if (segment === " " && current.length === 0) continue;
      }
      current.push(segment);
      taken += next;
    }
    lines.push(current.join(""));
  }
  return lines.join("\n");
}

/** Where a full line ends: its end, if there is no good place after its first third. */
function breakOf(line: readonly string[]): number {
  const at = line.findLastIndex((character) => breaksAfter.test(character)) + 1;
  return at * 3 > line.length ? at : line.length;
}

function widthOf(text: string): number {
  return Math.max(...text.split("\n").map((line) => stringWidth(line)));
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

const noStyle = { head: [], border: [], "padding-left": 0, "padding-right": 0 };

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
  middle: between,
});
