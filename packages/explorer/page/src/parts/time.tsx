import type { VNode } from "preact";
import { agoText, timeText } from "../data/format.js";
import { useNow } from "../data/use-now.js";

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
