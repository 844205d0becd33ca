import type { VNode } from "preact";
import { sizeText } from "../data/format.js";
import type { MessageRow } from "../data/types.js";
import { Text } from "../parts/text.js";
import { Time } from "../parts/time.js";

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
          <span class="visually-hidden">…</span>
          <span class="bone" />
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
        {state === "scheduled" ? (
          <em>
            due <Time at={row.dueAt} />
          </em>
        ) : (
          <Time at={row.enqueuedAt} />
        )}
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
  const isRead = row.status === "decoded";
  const text = isRead ? (row.serializer ?? "AMQP value") : (row.reason ?? row.status);
  return (
    <span class={isRead ? "good" : "bad"} title={text}>
      <span aria-hidden="true">{isRead ? "✓" : "✕"}</span> {text}
    </span>
  );
}
