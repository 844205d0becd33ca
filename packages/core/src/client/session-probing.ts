import type { Scheduler, Timer } from "../scheduler.js";
import type { CircuitBreaker } from "./circuit-breaker.js";
import type { SessionRun } from "./session-run.js";

/** What probing asks of the session processor. */
export interface SessionProbingActions {
  /** Lets the session go that has been blocked the longest, so that it can be accepted again. */
  release(): void;
  releaseAll(): void;
  /** Asks for sessions again. */
  resume(): void;
}

/**
 * What a session processor does while its circuit breaker is open: no session is accepted but, in intervals, one at a time, until a
 * message shows that the format can be read. Sessions that are served already go on until they meet an unread message.
 */
export class SessionProbing {
  readonly #breaker: CircuitBreaker;
  readonly #scheduler: Scheduler;
  readonly #actions: SessionProbingActions;
  /** The session that is tried at present. */
  #probe: SessionRun | undefined;
  #isProbing = false;
  #wasOpen = false;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(breaker: CircuitBreaker, scheduler: Scheduler, actions: SessionProbingActions) {
    this.#breaker = breaker;
    this.#scheduler = scheduler;
    this.#actions = actions;
  }

  get isOpen(): boolean {
    return this.#breaker.isOpen;
  }

  /** How many sessions to ask for while the breaker is open. */
  get wantedAccepts(): number {
    return this.#isProbing && this.#probe === undefined ? 1 : 0;
  }

  onAccepted(run: SessionRun): void {
    if (this.isOpen) this.#probe = run;
  }

  onBlocked(run: SessionRun): void {
    this.#wasOpen = true;
    if (this.#probe === run) this.#endProbe();
    if (!this.#isProbing) this.#probeLater();
  }

  /** A message is done: perhaps the one that closed the breaker. */
  onIdle(run: SessionRun): void {
    if (this.#probe === run) this.#probe = undefined;
    this.#checkClosed();
  }

  onEnded(run: SessionRun): void {
    if (this.#probe === run) this.#probe = undefined;
    this.#checkClosed();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #probeLater(): void {
    if (this.#timer !== undefined || this.#isStopped) return;
    this.#timer = this.#scheduler.schedule(this.#breaker.options.probeIntervalInMs, () => {
      this.#timer = undefined;
      if (!this.isOpen) return;
      this.#isProbing = true;
      this.#breaker.beginProbe();
      this.#actions.release();
      this.#actions.resume();
    });
  }

  #endProbe(): void {
    this.#probe = undefined;
    this.#isProbing = false;
    this.#breaker.endProbe();
  }

  #checkClosed(): void {
    if (!this.#wasOpen || this.isOpen) return;
    this.#wasOpen = false;
    this.#endProbe();
    this.#actions.releaseAll();
    this.#actions.resume();
  }
}
