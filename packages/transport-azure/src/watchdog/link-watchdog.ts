import { setTimeout as delay } from "node:timers/promises";
import type { LinkStall } from "@waybill/core/diagnostics";
import { untilAborted } from "@waybill/foundation";
import type { ClientConnection } from "./client-connection.js";
import type { ResolvedWatchdogOptions } from "./watchdog-options.js";
import type { WatchedLink } from "./watched-link.js";

/**
 * A waiting message may be in transit: it must still wait after this time, in milliseconds, or after a quarter of the stall timeout if that
 * is less.
 */
const maxConfirmationMs = 2_000;

/**
 * If restarting a link did not help, because another client holds the waiting messages, the next restart comes later: up to this multiple
 * of the stall timeout.
 */
const maxBackoff = 16;

/** After this many unanswered checks in a row the connection counts as dead, even if other data arrives. */
const unansweredBeforeBreak = 2;

/** What is known about a link between checks. */
interface Watch {
  readonly link: WatchedLink;
  activityCount: number;
  /** How long it may be silent before the next check. */
  dueAtMs: number;
  /** Restarts since the last delivery. */
  restarts: number;
  unanswered: number;
  isAsking: boolean;
}

/**
 * Restarts stalled links: links with credit that deliver nothing although messages wait. For a silent link it peeks for waiting messages.
 * The link counts as stalled if a message waits and still waits a moment later. If the peek is not answered either, the connection is
 * closed.
 */
export class LinkWatchdog {
  readonly #options: ResolvedWatchdogOptions;
  readonly #connection: ClientConnection;
  readonly #watches = new Map<WatchedLink, Watch>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ResolvedWatchdogOptions, connection: ClientConnection) {
    this.#options = options;
    this.#connection = connection;
  }

  add(link: WatchedLink): void {
    const watch = { link, activityCount: 0, dueAtMs: 0, restarts: 0, unanswered: 0, isAsking: false };
    this.#start(watch, 0);
    this.#watches.set(link, watch);
    const checkEveryMs = Math.min(1_000, Math.max(20, this.#options.stallTimeoutInMs / 10));
    this.#timer ??= setInterval(this.#check, checkEveryMs).unref();
  }

  remove(link: WatchedLink): void {
    this.#watches.delete(link);
    if (this.#watches.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  readonly #check = (): void => {
    for (const watch of this.#watches.values()) {
      const { link } = watch;
      if (watch.activityCount !== link.activityCount) this.#start(watch, 0);
      if (link.credit > 0 && link.silenceInMs >= watch.dueAtMs && !watch.isAsking) void this.#ask(watch);
    }
  };

  /** Resets the counters after a delivery or a restart. */
  #start(watch: Watch, restarts: number): void {
    watch.activityCount = watch.link.activityCount;
    watch.restarts = restarts;
    watch.unanswered = 0;
    watch.dueAtMs = this.#options.stallTimeoutInMs * Math.min(2 ** restarts, maxBackoff);
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

  /** Whether it still has credit and has delivered nothing since. */
  #isSilent({ link, activityCount }: Watch): boolean {
    return this.#watches.has(link) && link.credit > 0 && link.activityCount === activityCount;
  }

  async #diagnose(watch: Watch): Promise<LinkStall["evidence"] | undefined> {
    const { stallTimeoutInMs } = this.#options;
    const found = await this.#findBacklog(watch, 1n);
    if (typeof found !== "bigint") return found;
    await delay(Math.min(maxConfirmationMs, stallTimeoutInMs / 4), undefined, { ref: false });
    if (!this.#isSilent(watch)) return undefined;
    const again = await this.#findBacklog(watch, found);
    return again === found ? "backlog" : again === "unanswered" ? again : undefined;
  }

  async #findBacklog(watch: Watch, from: bigint): Promise<bigint | "unanswered" | undefined> {
    const bytesRead = this.#connection.bytesRead;
    const signal = AbortSignal.timeout(this.#options.answerTimeoutInMs);
    try {
      const finding = watch.link.watch.findBacklog(from, signal);
      const found = await untilAborted(finding, signal, () => new Error("no answer"));
      watch.unanswered = 0;
      return found;
    } catch {
      // An error is an answer, also if there is no connection at present.
      if (!signal.aborted) return undefined;
      watch.unanswered++;
      const isDead = bytesRead === this.#connection.bytesRead;
      return isDead || watch.unanswered >= unansweredBeforeBreak ? "unanswered" : undefined;
    }
  }

  #restart(watch: Watch, evidence: LinkStall["evidence"]): void {
    const { link } = watch;
    const { entityPath, sessionId } = link.watch;
    const silenceInMs = Math.round(link.silenceInMs);
    const stall = { entityPath, sessionId, credit: link.credit, silenceInMs, evidence };
    if (evidence === "unanswered" && this.#connection.break()) {
      this.#postponeChecks();
      // The link is replaced along with its connection.
      link.watch.onStalled(stall);
    } else link.restart(stall);
    this.#start(watch, watch.restarts + 1);
  }

  /** Gives messages of the broken connection time to become available again. */
  #postponeChecks(): void {
    for (const watch of this.#watches.values()) {
      watch.dueAtMs = watch.link.silenceInMs + this.#options.stallTimeoutInMs;
      watch.unanswered = 0;
    }
  }
}
