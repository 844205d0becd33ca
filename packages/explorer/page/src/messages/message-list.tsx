import type { TargetedKeyboardEvent, VNode } from "preact";
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { errorText } from "../data/api.js";
import { countText } from "../data/format.js";
import { MessagePages } from "../data/message-pages.js";
import { Problem } from "../parts/parts.js";
import { Head, Row } from "./message-row.js";

const rowHeight = 34;
/** The maximum height that browsers lay out; longer lists scroll several rows per pixel. */
const maxHeight = 12_000_000;

interface MessageListProps {
  readonly entity: string;
  /** How many messages the broker counts; undefined if it does not say. */
  readonly expected: number | undefined;
  readonly state: string | undefined;
  readonly order: "oldest" | "newest";
  /** Whether the newest message stays in view. */
  readonly isFollowing: boolean;
  readonly selected: string | undefined;
  /** A sequence number to go to; another object goes there again. */
  readonly target: { readonly number: string } | undefined;
  onSelect(sequenceNumber: string): void;
}

/** A list of any length: renders visible rows only, and keeps nearby pages. */
export function MessageList(props: MessageListProps): VNode {
  const { entity, expected, state, order, isFollowing, selected, target, onSelect } = props;
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const pages = useMemo(
    () => new MessagePages({ entity, state, order }, expected, () => redraw(undefined)),
    [entity, state, order],
  );
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [active, setActive] = useState(0);
  const [height, setHeight] = useState(400);
  const [jump, setJump] = useState<number>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => () => pages.close(), [pages]);
  useEffect(() => pages.update(expected), [pages, expected]);
  /** The number that the list is on its way to. Until it is there, what it leaves is not loaded: that would displace the page it goes to. */
  const destination = useRef<string | undefined>(undefined);
  const jumpTo = async (number: string) => {
    destination.current = number;
    try {
      const index = await pages.jumpTo(number);
      if (destination.current === number) setJump(index);
    } catch (error) {
      destination.current = undefined;
      setProblem(errorText(error));
    }
  };
  useEffect(() => {
    if (target !== undefined) void jumpTo(target.number);
  }, [pages, target]);
  useEffect(() => {
    if (selected !== undefined && state === undefined && pages.indexOf(selected) === undefined)
      void jumpTo(selected);
  }, [pages, selected]);
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
  useEffect(() => {
    if (destination.current === undefined) pages.show(first, Math.max(first, last));
  });
  useEffect(() => {
    const box = scroller.current;
    if (jump === undefined || box === null) return;
    destination.current = undefined;
    setJump(undefined);
    setActive(jump);
    const most = Math.max(total - height / rowHeight, 1);
    // A little further, since browsers round: the row before may belong to a page whose position is not known.
    box.scrollTo(0, ((jump + 0.1) / most) * scrollable);
    // Not only with the event: until then the list would load the rows that it has left.
    setTop(box.scrollTop);
  }, [jump]);
  useEffect(() => {
    if (isFollowing) scroller.current?.scrollTo(0, order === "newest" ? 0 : scrollHeight);
  }, [isFollowing, order, scrollHeight]);

  const scrollTo = (index: number) => {
    const box = scroller.current;
    const most = Math.max(total - height / rowHeight, 1);
    if (box === null) return;
    if (index < position) box.scrollTo(0, (index / most) * scrollable);
    if (index > position + height / rowHeight - 1)
      box.scrollTo(0, ((index - height / rowHeight + 1) / most) * scrollable);
    // Not only with the event: until then nothing would be where the list has scrolled to.
    setTop(box.scrollTop);
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
        aria-label={`${pages.isCounted ? `${countText(total)} messages` : "Messages, not counted,"} of ${entity}, ${order} first; arrow keys move, Enter opens`}
        aria-rowcount={pages.isCounted ? total + 1 : -1}
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
      {total === 0 && !pages.isLoading && pages.error === undefined ? (
        <p class="empty">{state === undefined ? "No messages here." : `No ${state} messages here.`}</p>
      ) : null}
      <Problem text={problem ?? pages.error} />
    </>
  );
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
