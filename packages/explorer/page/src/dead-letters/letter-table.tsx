import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { errorText, get } from "../data/api.js";
import { countText, plural } from "../data/format.js";
import { href } from "../data/route.js";
import type { MessagePage, MessageRow } from "../data/types.js";
import { useHashState } from "../data/use-hash-state.js";
import { Action, Problem } from "../parts/parts.js";
import { type Column, SortableTable } from "../parts/sortable-table.js";
import { Text } from "../parts/text.js";
import { Time } from "../parts/time.js";
import { groupKeyOf } from "./letter-groups.js";

interface LetterTableProps {
  /** The path of the dead-letter queue. */
  readonly path: string;
  /** The key of the only group to show; undefined for all. */
  readonly group: string | undefined;
  onEveryGroup(): void;
  /** Changes when the queue is to be read again. */
  readonly turn: number;
  onRepair(numbers: readonly string[]): void;
}

/** How many rows are read before the page asks whether to read on. */
const maxRows = 20_000;

/** The dead letters of a queue in one table: filtered by any of their texts, sorted by any column, and repaired one by one or as a selection. */
export function LetterTable({ path, turn, group, onEveryGroup, onRepair }: LetterTableProps): VNode {
  const [limit, setLimit] = useState(maxRows);
  const { rows, isWhole, problem } = useLetters(path, turn, limit);
  const [find = "", setFind] = useHashState("find");
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const found = rows.filter(
    (row) => textOf(row).includes(find.toLowerCase()) && (group === undefined || groupKeyOf(row) === group),
  );
  const chosen = found.filter(({ sequenceNumber }) => selected.has(sequenceNumber));
  const isAll = found.length > 0 && chosen.length === found.length;
  const select = (numbers: readonly string[], isSelected: boolean) => {
    const changed = new Set(selected);
    for (const number of numbers) isSelected ? changed.add(number) : changed.delete(number);
    setSelected(changed);
  };
  const columns = columnsOf(path, selected, select);
  return (
    <section class="section" aria-label="All dead letters">
      <h2>All of them</h2>
      <p class="filters">
        <label>
          <span class="visually-hidden">Filter dead letters</span>
          <input
            type="search"
            placeholder="Filter: reason, type, id …"
            value={find}
            onInput={({ currentTarget }) => setFind(currentTarget.value)}
          />
        </label>
        <label>
          <input
            type="checkbox"
            checked={isAll}
            onChange={({ currentTarget }) =>
              select(
                found.map(({ sequenceNumber }) => sequenceNumber),
                currentTarget.checked,
              )
            }
          />{" "}
          all {countText(found.length)} found
        </label>
        {group === undefined ? null : (
          <Action text="Only one group: show all" kind="quiet-button" onClick={onEveryGroup} />
        )}
        <Action
          text={`Repair ${countText(chosen.length)} selected …`}
          isDisabled={chosen.length === 0}
          onClick={() => onRepair(chosen.map(({ sequenceNumber }) => sequenceNumber))}
        />
        <span role="status">
          {found.length === rows.length
            ? plural(rows.length, "row")
            : `${countText(found.length)} of ${plural(rows.length, "row")}`}
          {isWhole === undefined ? ", reading …" : ""}
        </span>
      </p>
      <Problem text={problem} />
      {isWhole === false ? (
        <p class="notice">
          The oldest {countText(rows.length)} were read, there are more.{" "}
          <Action text="Read on" kind="link" onClick={() => setLimit(limit + maxRows)} />
        </p>
      ) : null}
      <SortableTable
        label="Dead letters"
        columns={columns}
        rows={found}
        sortedBy="-Enqueued"
        keyOf={({ sequenceNumber }) => sequenceNumber}
      />
    </section>
  );
}

function columnsOf(
  path: string,
  selected: ReadonlySet<string>,
  select: (numbers: readonly string[], isSelected: boolean) => void,
): readonly Column<MessageRow>[] {
  return [
    {
      title: "Message",
      value: ({ sequenceNumber }) => sequenceNumber,
      cell: ({ sequenceNumber, messageId }) => (
        <>
          <input
            type="checkbox"
            aria-label={`Select ${sequenceNumber}`}
            checked={selected.has(sequenceNumber)}
            onChange={({ currentTarget }) => select([sequenceNumber], currentTarget.checked)}
          />{" "}
          <a href={href("entity", path, "messages", sequenceNumber)}>№ {sequenceNumber}</a>{" "}
          <Text>{messageId ?? ""}</Text>
        </>
      ),
    },
    {
      title: "Reason",
      value: (row) => row.deadLetterReason,
      cell: (row) => <Text>{row.deadLetterReason ?? "–"}</Text>,
    },
    {
      title: "Type",
      value: (row) => row.messageType ?? row.subject,
      cell: (row) => <Text>{row.messageType ?? row.subject ?? "–"}</Text>,
    },
    {
      title: "Version",
      isNumber: true,
      value: (row) => row.messageVersion,
      cell: (row) => row.messageVersion ?? "–",
    },
    {
      title: "Enqueued",
      isNumber: true,
      value: (row) => (row.enqueuedAt === undefined ? undefined : Date.parse(row.enqueuedAt)),
      cell: (row) => <Time at={row.enqueuedAt} />,
    },
    {
      title: "Readable now",
      value: (row) => (row.status === "decoded" ? `yes ${row.serializer ?? ""}` : `no ${row.reason ?? ""}`),
      cell: (row) =>
        row.status === "decoded" ? (
          <span class="good">by {row.serializer ?? "no serializer: an AMQP value"}</span>
        ) : (
          <span class="bad">{row.reason ?? row.status}</span>
        ),
    },
  ];
}

interface Letters {
  readonly rows: readonly MessageRow[];
  /** Undefined while they are read; false if there are more than `limit`. */
  readonly isWhole: boolean | undefined;
  readonly problem: string | undefined;
}

function useLetters(path: string, turn: number, limit: number): Letters {
  const [letters, setLetters] = useState<Letters>({ rows: [], isWhole: undefined, problem: undefined });
  useEffect(() => {
    const controller = new AbortController();
    setLetters({ rows: [], isWhole: undefined, problem: undefined });
    void readLetters(path, limit, controller.signal, setLetters);
    return () => controller.abort();
  }, [path, turn, limit]);
  return letters;
}

async function readLetters(
  entity: string,
  limit: number,
  signal: AbortSignal,
  onLetters: (letters: Letters) => void,
): Promise<void> {
  const rows: MessageRow[] = [];
  try {
    for (let from: string | undefined; ; ) {
      const page: MessagePage = await get("messages", { entity, from, max: 250 }, signal);
      rows.push(...page.rows);
      from = page.next;
      const isWhole = from === undefined ? true : rows.length >= limit ? false : undefined;
      onLetters({ rows: [...rows], isWhole, problem: undefined });
      if (isWhole !== undefined) return;
    }
  } catch (error) {
    if (!signal.aborted) onLetters({ rows, isWhole: false, problem: errorText(error) });
  }
}

function textOf(row: MessageRow): string {
  const { deadLetterReason, messageType, messageVersion, subject, messageId, contentType, serializer } = row;
  const version = messageVersion === undefined ? undefined : `version ${messageVersion}`;
  const texts = [deadLetterReason, messageType, version, subject, messageId, contentType, serializer];
  return [...texts, row.reason, row.sequenceNumber].filter(Boolean).join("\n").toLowerCase();
}
