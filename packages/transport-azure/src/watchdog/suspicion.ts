import type { LinkStall } from "@waybill/core/diagnostics";

/** How soon the other link must deliver, in milliseconds. */
const timeoutMs = 10_000;

/**
 * A link with credit did not get a waiting message: either it is stalled, or another client has locked the message, which cannot be seen. A
 * second link shows which: if it gets a message soon, the first link was stalled. Call the returned function when the second link delivers.
 */
export function suspect(stall: LinkStall, report: (stall: LinkStall) => void): () => void {
  let untilMs = performance.now() + timeoutMs;
  return () => {
    if (performance.now() > untilMs) return;
    untilMs = 0;
    report(stall);
  };
}
