import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { countText } from "../data/format.js";
import { useHashState } from "../data/use-hash-state.js";
import { Action } from "./parts.js";

/** A column that rows can be sorted by. */
export interface Column<Row> {
  readonly title: string;
  /** Numbers stand on the right, and are sorted from the largest first. */
  readonly isNumber?: boolean;
  /** What the rows are sorted by; undefined for what is not known, which comes last in both directions. */
  value(row: Row): string | number | undefined;
  cell(row: Row): ComponentChildren;
}

interface SortableTableProps<Row> {
  readonly label: string;
  /** The first one names the row. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** What it is sorted by at first: a title, with `-` before it for the largest first. */
  readonly sortedBy: string;
  keyOf(row: Row): string;
  /** Called with the keys of the rows that are in view, whenever they change. */
  readonly onVisible?: (keys: readonly string[]) => void;
}

/** How many rows are added at once. */
const pieceSize = 200;

const collator = new Intl.Collator("en", { numeric: true });

/** A table sorted by any of its columns; the address of the view keeps which. Long ones are shown in pieces, and say how much is left. */
export function SortableTable<Row>({
  label,
  columns,
  rows,
  sortedBy,
  keyOf,
  onVisible,
}: SortableTableProps<Row>): VNode {
  const [sort = sortedBy, setSort] = useHashState("sort");
  const [shown, setShown] = useState(pieceSize);
  const isDescending = sort.startsWith("-");
  const column = columns.find(({ title }) => title === sort.replace(/^-/, ""));
  const sorted = column === undefined ? rows : sortedRows(rows, column, isDescending);
  const body = useVisibleRows(sorted.slice(0, shown).map(keyOf), onVisible);
  return (
    <>
      <div class="table" tabIndex={0} role="region" aria-label={label}>
        <table class="sortable">
          <thead>
            <tr>
              {columns.map((each) => (
                <th
                  key={each.title}
                  scope="col"
                  class={each.isNumber ? "number" : ""}
                  aria-sort={each !== column ? "none" : isDescending ? "descending" : "ascending"}
                >
                  <button
                    type="button"
                    class="link"
                    onClick={() => setSort(nextSort(each, each === column, isDescending))}
                  >
                    {each.title}
                  </button>{" "}
                  <span aria-hidden="true">{each !== column ? "" : isDescending ? "▼" : "▲"}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody ref={body}>
            {sorted.slice(0, shown).map((row) => (
              <tr key={keyOf(row)} data-key={keyOf(row)}>
                {columns.map((each, index) =>
                  index === 0 ? (
                    <th key={each.title} scope="row">
                      {each.cell(row)}
                    </th>
                  ) : (
                    <td key={each.title} class={each.isNumber ? "number" : ""}>
                      {each.cell(row)}
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {sorted.length > shown ? (
        <p>
          {countText(shown)} of {countText(sorted.length)} shown.{" "}
          <Action
            text={`Show ${countText(Math.min(pieceSize, sorted.length - shown))} more`}
            kind="link"
            onClick={() => setShown(shown + pieceSize)}
          />
        </p>
      ) : null}
    </>
  );
}

/** Follows which rows of a table are in view. */
function useVisibleRows(keys: readonly string[], onVisible: ((keys: readonly string[]) => void) | undefined) {
  const body = useRef<HTMLTableSectionElement>(null);
  const isFollowed = onVisible !== undefined;
  const told = useRef(onVisible);
  told.current = onVisible;
  const order = isFollowed ? keys.join("\n") : "";
  useEffect(() => {
    if (!isFollowed) return;
    const visible = new Set<string>();
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        const { key = "" } = (target as HTMLElement).dataset;
        if (isIntersecting) visible.add(key);
        else visible.delete(key);
      }
      told.current?.([...visible]);
    });
    for (const row of body.current?.rows ?? []) observer.observe(row);
    return () => observer.disconnect();
  }, [isFollowed, order]);
  return body;
}

function nextSort<Row>({ title, isNumber }: Column<Row>, isCurrent: boolean, isDescending: boolean): string {
  const descends = isCurrent ? !isDescending : isNumber === true;
  return descends ? `-${title}` : title;
}

function sortedRows<Row>(
  rows: readonly Row[],
  { value }: Column<Row>,
  isDescending: boolean,
): readonly Row[] {
  // Of equal ones the last come first where the largest do.
  return (isDescending ? rows.toReversed() : rows).toSorted((one, two) => {
    const [a, b] = [value(one), value(two)];
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    const order = typeof a === "string" ? collator.compare(a, String(b)) : a - Number(b);
    return isDescending ? -order : order;
  });
}
