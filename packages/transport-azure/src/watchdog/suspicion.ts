import type { LinkStall } from "@waybill/core/transport";

/** How soon the other link must deliver, in milliseconds. */
const timeoutMs = 10_000;

/**
 * What is known of a link with credit that did not get a message which waits: either it stands still, or the message is locked for somebody
 * else, which nobody can see. Another link beside it tells: it gets at once what the first should have got, or nothing either.
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
