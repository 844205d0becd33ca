import { setTimeout as delay } from "node:timers/promises";
import type { LinkStall } from "@waybill/core/transport";
import { untilAborted } from "@waybill/core/transport";
import type { ResolvedWatchdogOptions } from "./watchdog-options.js";
import type { WatchedConnection, WatchedLink } from "./watched-link.js";

/** A message that waits may be on its way: it must wait for as long still, in milliseconds, or for a quarter of the stall time-out. */
const longestConfirmationMs = 2_000;

/** After a link was made again in vain, because somebody else holds what waits, the next time comes later: up to so many times the stall time-out. */
const longestBackoff = 16;

/** So many questions in a row without an answer speak against the connection even if something else comes over it. */
const unansweredBeforeBreak = 2;

/** What is known of a link from one look to the next. */
interface Watch {
  readonly link: WatchedLink;
  progress: number;
  /** How long it may be silent before the next question. */
  dueAtMs: number;
  /** How often it was made again since the last delivery. */
  restarts: number;
  unanswered: number;
  isAsking: boolean;
}

/**
 * Makes links again that stand still: a link that has credit, while messages wait that should have come, and that delivers nothing. A link
 * that is silent is asked for messages that wait, by a peek. It counts as stalled when one waits, and waits still after a moment; where not
 * even the question is answered, the connection is given up.
 */
export class LinkWatchdog {
  readonly #options: ResolvedWatchdogOptions;
  readonly #connection: WatchedConnection;
  readonly #watches = new Map<WatchedLink, Watch>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ResolvedWatchdogOptions, connection: WatchedConnection) {
    this.#options = options;
    this.#connection = connection;
  }

  add(link: WatchedLink): void {
    const { stallTimeoutInMs } = this.#options;
    const watch = { link, progress: link.progress, dueAtMs: stallTimeoutInMs, restarts: 0, unanswered: 0 };
    this.#watches.set(link, { ...watch, isAsking: false });
    const lookEveryMs = Math.min(1_000, Math.max(20, stallTimeoutInMs / 10));
    this.#timer ??= setInterval(this.#look, lookEveryMs).unref();
  }

  remove(link: WatchedLink): void {
    this.#watches.delete(link);
    if (this.#watches.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  readonly #look = (): void => {
    for (const watch of this.#watches.values()) {
      const { link } = watch;
      if (watch.progress !== link.progress) this.#start(watch, 0);
      if (link.credit > 0 && link.silenceInMs >= watch.dueAtMs && !watch.isAsking) void this.#ask(watch);
    }
  };

  /** Begins to count again, after a delivery or after it was made again. */
  #start(watch: Watch, restarts: number): void {
    watch.progress = watch.link.progress;
    watch.restarts = restarts;
    watch.unanswered = 0;
    watch.dueAtMs = this.#options.stallTimeoutInMs * Math.min(2 ** restarts, longestBackoff);
  }

  /** Never rejects. */
  async #ask(watch: Watch): Promise<void> {
    watch.isAsking = true;
    const stall = await this.#diagnose(watch);
    watch.isAsking = false;
    if (!this.#isSilent(watch)) return;
    if (stall === undefined) watch.dueAtMs = watch.link.silenceInMs + this.#options.stallTimeoutInMs;
    else this.#restart(watch, stall);
  }

  /** Whether it still has credit, and has delivered nothing since. */
  #isSilent({ link, progress }: Watch): boolean {
    return this.#watches.has(link) && link.credit > 0 && link.progress === progress;
  }

  async #diagnose(watch: Watch): Promise<LinkStall["evidence"] | undefined> {
    const { stallTimeoutInMs } = this.#options;
    const found = await this.#findBacklog(watch, 1n);
    if (typeof found !== "bigint") return found;
    await delay(Math.min(longestConfirmationMs, stallTimeoutInMs / 4), undefined, { ref: false });
    if (!this.#isSilent(watch)) return undefined;
    const again = await this.#findBacklog(watch, found);
    return again === found ? "backlog" : again === "unanswered" ? again : undefined;
  }

  async #findBacklog(watch: Watch, from: bigint): Promise<bigint | "unanswered" | undefined> {
    const bytesRead = this.#connection.bytesRead;
    const signal = AbortSignal.timeout(this.#options.answerTimeoutInMs);
    try {
      const finding = watch.link.findBacklog(from, signal);
      const found = await untilAborted(finding, signal, () => new Error("no answer"));
      watch.unanswered = 0;
      return found;
    } catch {
      // Who is refused, or has no connection at present, has an answer.
      if (!signal.aborted) return undefined;
      watch.unanswered += 1;
      const isDead = bytesRead === this.#connection.bytesRead;
      return isDead || watch.unanswered >= unansweredBeforeBreak ? "unanswered" : undefined;
    }
  }

  #restart(watch: Watch, evidence: LinkStall["evidence"]): void {
    const { link } = watch;
    const { entityPath, sessionId, credit } = link;
    const silenceInMs = Math.round(link.silenceInMs);
    const stall = { entityPath, sessionId, credit, silenceInMs, evidence };
    if (evidence === "unanswered" && this.#connection.break()) {
      this.#giveTime();
      link.onConnectionBroken(stall);
    } else link.restart(stall);
    this.#start(watch, watch.restarts + 1);
  }

  /** What was on a connection that is gone may come back first. */
  #giveTime(): void {
    for (const watch of this.#watches.values()) {
      watch.dueAtMs = watch.link.silenceInMs + this.#options.stallTimeoutInMs;
      watch.unanswered = 0;
    }
  }
}
