import type { TargetedKeyboardEvent, VNode } from "preact";
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { countText, sizeText, timeText } from "../data/format.js";
import { MessagePages } from "../data/message-pages.js";
import type { MessageRow } from "../data/types.js";
import { Problem } from "../parts/parts.js";
import { Text } from "../parts/text.js";

const rowHeight = 34;
/** The maximum height that browsers lay out; longer lists scroll several rows per pixel. */
const maxHeight = 12_000_000;

interface MessageListProps {
  readonly entity: string;
  readonly expected: number;
  readonly state: string | undefined;
  readonly selected: string | undefined;
  onSelect(sequenceNumber: string): void;
}

/** A list of any length: renders visible rows only, and keeps nearby pages. */
export function MessageList({ entity, expected, state, selected, onSelect }: MessageListProps): VNode {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const pages = useMemo(
    () => new MessagePages({ entity, expected, state }, () => redraw(undefined)),
    [entity, state],
  );
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [active, setActive] = useState(0);
  const [height, setHeight] = useState(400);
  useEffect(() => () => pages.close(), [pages]);
  useEffect(() => pages.grow(expected), [pages, expected]);
  useEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    const observer = new ResizeObserver(() => setHeight(Math.max(box.clientHeight - rowHeight, rowHeight)));
    observer.observe(box);
    return () => observer.disconnect();
  }, []);

  const { total } = pages;
  const visible = Math.ceil(height / rowHeight) + 1;
  const scrollHeight = Math.min(total * rowHeight, maxHeight);
  const scrollable = Math.max(scrollHeight - height, 1);
  const position = Math.min(top / scrollable, 1) * Math.max(total - height / rowHeight, 0);
  const first = Math.max(0, Math.floor(position));
  const last = Math.min(total, first + visible) - 1;
  useEffect(() => pages.show(first, Math.max(first, last)));

  const scrollTo = (index: number) => {
    const box = scroller.current;
    const most = Math.max(total - height / rowHeight, 1);
    if (index < position) box?.scrollTo(0, (index / most) * scrollable);
    if (index > position + height / rowHeight - 1)
      box?.scrollTo(0, ((index - height / rowHeight + 1) / most) * scrollable);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const index = moved(event.key, active, visible - 2, total);
    if (index === undefined) {
      const row = pages.rowAt(active);
      if ((event.key === "Enter" || event.key === " ") && row !== undefined) onSelect(row.sequenceNumber);
      if (event.key !== " ") return;
    } else {
      setActive(index);
      scrollTo(index);
    }
    event.preventDefault();
  };

  const rows: VNode[] = [];
  for (let index = first; index <= last; index++) {
    const row = pages.rowAt(index);
    const isSelected = row !== undefined && row.sequenceNumber === selected;
    rows.push(
      <Row
        key={index}
        index={index}
        row={row}
        isActive={index === active}
        isSelected={isSelected}
        onSelect={onSelect}
      />,
    );
  }
  return (
    <>
      <div
        ref={scroller}
        class="grid"
        role="grid"
        tabIndex={0}
        aria-label={`${countText(total)} messages of ${entity}; arrow keys move, Enter opens`}
        aria-rowcount={total + 1}
        aria-busy={pages.isLoading}
        aria-activedescendant={active >= first && active <= last ? `row-${active}` : undefined}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        onKeyDown={onKeyDown}
      >
        <Head />
        <div role="presentation" class="spacer" style={{ height: `${scrollHeight}px` }}>
          <div
            role="presentation"
            class="rows"
            style={{ transform: `translateY(${top - (position - first) * rowHeight}px)` }}
          >
            {rows}
          </div>
        </div>
      </div>
      <Problem text={pages.error} />
    </>
  );
}

const columns = ["Number", "Enqueued", "Message", "Format", "Read by", "Size"] as const;

function Head(): VNode {
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

function Row({ index, row, isActive, isSelected, onSelect }: RowProps): VNode {
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

function moved(key: string, active: number, screen: number, total: number): number | undefined {
  const to: Readonly<Record<string, number>> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + screen,
    PageUp: active - screen,
    Home: 0,
    End: total - 1,
  };
  const index = to[key];
  return index === undefined ? undefined : Math.max(0, Math.min(total - 1, index));
}
