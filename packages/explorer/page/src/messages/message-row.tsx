import type { VNode } from "preact";
import { sizeText, timeText } from "../data/format.js";
import type { MessageRow } from "../data/types.js";
import { Text } from "../parts/text.js";

const columns = ["Number", "Enqueued", "Message", "Format", "Read by", "Size"] as const;

/** The titles of the columns. */
export function Head(): VNode {
  return (
    <div role="row" class="row head" aria-rowindex={1}>
      {columns.map((name) => (
        <span key={name} role="columnheader" class={`cell ${name.toLowerCase().replace(" ", "-")}`}>
          {name}
        </span>
      ))}
    </div>
  );
}

interface RowProps {
  readonly index: number;
  readonly row: MessageRow | undefined;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  onSelect(sequenceNumber: string): void;
}

/** One message; a sign of waiting while it is not in memory. */
export function Row({ index, row, isActive, isSelected, onSelect }: RowProps): VNode {
  const names = `row${isActive ? " active" : ""}${isSelected ? " selected" : ""}`;
  if (row === undefined)
    return (
      <div id={`row-${index}`} role="row" aria-rowindex={index + 2} class={names}>
        <span role="gridcell" class="cell waiting">
          …
        </span>
      </div>
    );
  const { sequenceNumber, state, subject, messageType, messageVersion, messageId } = row;
  const version = messageVersion === undefined ? "" : ` v${messageVersion}`;
  return (
    <div
      id={`row-${index}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      class={names}
      onClick={() => onSelect(sequenceNumber)}
    >
      <span role="gridcell" class="cell number">
        {sequenceNumber}
      </span>
      <span role="gridcell" class="cell enqueued">
        {state === "scheduled" ? <em>due {timeText(row.dueAt)}</em> : timeText(row.enqueuedAt)}
      </span>
      <span role="gridcell" class="cell message">
        {state === "active" ? null : <span class="badge">{state}</span>}
        <Text>{`${messageType ?? subject ?? "(no subject)"}${version}`}</Text>{" "}
        <small>
          <Text>{messageId ?? ""}</Text>
        </small>
      </span>
      <span role="gridcell" class="cell format">
        <Text>{row.contentType ?? "(none)"}</Text>
      </span>
      <span role="gridcell" class={`cell read-by ${row.status}`}>
        <ReadBy row={row} />
      </span>
      <span role="gridcell" class="cell size">
        {sizeText(row.bytes)}
      </span>
    </div>
  );
}

/** The serializer that reads a message, or why none does. */
export function ReadBy({ row }: { readonly row: MessageRow }): VNode {
  if (row.status === "decoded") return <span class="good">{row.serializer ?? "AMQP value"}</span>;
  return <span class="bad">{row.reason ?? row.status}</span>;
}
