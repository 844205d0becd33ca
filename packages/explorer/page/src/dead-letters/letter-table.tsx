import type { VNode } from "preact";
import { countText, plural } from "../data/format.js";
import { href } from "../data/route.js";
import type { MessageRow } from "../data/types.js";
import { useHashState } from "../data/use-hash-state.js";
import type { Letters } from "../data/use-letters.js";
import type { Selection } from "../data/use-selection.js";
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
  readonly letters: Letters;
  onReadOn(): void;
  /** The sequence numbers of the chosen ones. */
  readonly selection: Selection;
  onRepair(): void;
  onRemove(): void;
}

/** The dead letters of a queue in one table: filtered by any of their texts, sorted by any column, and repaired or deleted one by one or as a selection. */
export function LetterTable({
  path,
  group,
  onEveryGroup,
  letters,
  onReadOn,
  selection,
  onRepair,
  onRemove,
}: LetterTableProps): VNode {
  const { rows, isWhole, problem } = letters;
  const [find = "", setFind] = useHashState("find");
  const found = rows.filter((row) => isFound(row, find, group));
  const numbers = found.map(({ sequenceNumber }) => sequenceNumber);
  const chosen = numbers.filter((number) => selection.numbers.has(number));
  const isAll = found.length > 0 && chosen.length === found.length;
  const present = new Set(rows.map(({ sequenceNumber }) => sequenceNumber));
  const gone =
    isWhole === true ? Array.from(selection.numbers).filter((each) => !present.has(each)).length : 0;
  const columns = columnsOf(path, selection);
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
            onChange={({ currentTarget }) => selection.select(numbers, currentTarget.checked)}
          />{" "}
          all {countText(found.length)} found
        </label>
        {group === undefined ? null : (
          <Action text="Only one group: show all" kind="quiet-button" onClick={onEveryGroup} />
        )}
        <Action
          text={`Repair ${countText(chosen.length)} selected …`}
          isDisabled={chosen.length === 0}
          onClick={onRepair}
        />
        <Action
          text={`Delete ${countText(chosen.length)} selected …`}
          kind="quiet-button"
          isDisabled={chosen.length === 0}
          onClick={onRemove}
        />
        <span role="status">
          {found.length === rows.length
            ? plural(rows.length, "row")
            : `${countText(found.length)} of ${plural(rows.length, "row")}`}
          {isWhole === undefined ? ", reading …" : ""}
        </span>
      </p>
      <Problem text={problem} />
      <SelectionNotice selection={selection} gone={gone} />
      {isWhole === false ? (
        <p class="notice">
          The oldest {countText(rows.length)} were read, there are more.{" "}
          <Action text="Read on" kind="link" onClick={onReadOn} />
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

/** What is to be known of a selection that its address does not hold, or that is not here any more. */
function SelectionNotice({
  selection,
  gone,
}: {
  readonly selection: Selection;
  readonly gone: number;
}): VNode | null {
  const { isLost, isInAddress } = selection;
  const texts = [
    isLost ? "The selection is lost: it was too long for the address. Select again." : undefined,
    isLost || isInAddress
      ? undefined
      : "So many are selected that the address does not hold them: when this page is loaded again, the selection is lost.",
    gone === 0 ? undefined : `${countText(gone)} of the selected are no longer here.`,
  ].filter((text) => text !== undefined);
  return texts.length === 0 ? null : <p class="notice">{texts.join(" ")}</p>;
}

function columnsOf(path: string, { numbers: selected, select }: Selection): readonly Column<MessageRow>[] {
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

/** Whether a row contains a text, in any letter case, and belongs to a group. */
export function isFound(row: MessageRow, find: string, group: string | undefined): boolean {
  return textOf(row).includes(find.toLowerCase()) && (group === undefined || groupKeyOf(row) === group);
}

function textOf(row: MessageRow): string {
  const { deadLetterReason, messageType, messageVersion, subject, messageId, contentType, serializer } = row;
  const version = messageVersion === undefined ? undefined : `version ${messageVersion}`;
  const texts = [deadLetterReason, messageType, version, subject, messageId, contentType, serializer];
  return [...texts, row.reason, row.sequenceNumber].filter(Boolean).join("\n").toLowerCase();
}
