import type { LinkStall } from "@waybill/core/transport";

/** How soon the other link must deliver, in milliseconds. */
const timeoutMs = 10_000;

/**
 * A link with credit did not get a waiting message: either it is stalled, or another client has locked the message, which cannot be seen. A
 * second link shows which: if it gets a message soon, the first link was stalled.
 */
export class Suspicion {
  readonly #stall: LinkStall;
  readonly #report: (stall: LinkStall) => void;
  #untilMs = performance.now() + timeoutMs;

  constructor(stall: LinkStall, report: (stall: LinkStall) => void) {
    this.#stall = stall;
    this.#report = report;
  }

  /** The other link delivered. */
  confirm(): void {
    if (performance.now() > this.#untilMs) return;
    this.#untilMs = 0;
    this.#report(this.#stall);
  }
}
