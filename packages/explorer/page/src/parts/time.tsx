import type { VNode } from "preact";
import { agoText, timeText } from "../data/format.js";
import { useNow } from "../data/use-now.js";

/** The time between two instants, said once where both read the same. */
export function TimeRange({ from, to }: Readonly<Record<"from" | "to", string | undefined>>): VNode {
  const now = useNow();
  if (from === undefined || to === undefined || agoText(from, now) === agoText(to, now))
    return <Time at={to ?? from} />;
  return (
    <>
      <Time at={from} /> to <Time at={to} />
    </>
  );
}

/** An instant as the time since or until then, with the instant itself as its hint. */
export function Time({ at }: { readonly at: string | undefined }): VNode {
  const now = useNow();
  if (at === undefined) return <span>–</span>;
  return (
    <time dateTime={at} title={timeText(at)}>
      {agoText(at, now)}
    </time>
  );
}
