import type { VNode } from "preact";
import { agoText, timeText } from "../data/format.js";

/** An instant as the time since or until then, with the instant itself as its hint. */
export function Time({ at }: { readonly at: string | undefined }): VNode {
  if (at === undefined) return <span>–</span>;
  return (
    <time dateTime={at} title={timeText(at)}>
      {agoText(at)}
    </time>
  );
}
