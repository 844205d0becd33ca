import type { CircuitBreaker } from "../circuit-breaker/circuit-breaker.js";
import { SetAsideGate } from "../circuit-breaker/set-aside-gate.js";
import type { Scheduler, Timer } from "../foundation/scheduler.js";
import { backoffDelayMs, type UnavailableBackoff } from "../holding/unavailable-backoff.js";
import type { BlockCause } from "../processing/processor-settings.js";
import type { SessionRun } from "./session-run.js";

/** What blocked sessions are kept with. */
export interface BlockedSessionsSettings {
  readonly scheduler: Scheduler;
  readonly breaker: CircuitBreaker | undefined;
  readonly backoff: Required<UnavailableBackoff>;
  /** How long a session is kept that stopped at a message which cannot be read, in milliseconds. */
  readonly retryInMs: number;
  /** How many are kept beside those that are served. */
  readonly maxBeside: number;
  readonly onError: (error: unknown) => void;
}

/** So many sessions are remembered that wait for something out of reach. */
const maxRemembered = 10_000;

/**
 * Sessions that stopped at a message and are kept locked, so that others can be accepted. Each is let go after a while, to be accepted and
 * tried again: that counts no delivery. Those that stopped at an open circuit are all let go when it closes, until then one at a time.
 */
export class BlockedSessions {
  readonly #settings: BlockedSessionsSettings;
  readonly #runs = new Map<SessionRun, BlockCause>();
  readonly #timers = new Map<SessionRun, Timer>();
  /** How often each session waited in vain for something out of reach. */
  readonly #attempts = new Map<string, number>();
  readonly #gate: SetAsideGate | undefined;
  readonly #stopListening: (() => void) | undefined;
  #probeTimer: Timer | undefined;
  #isStopped = false;

  constructor(settings: BlockedSessionsSettings) {
    const { breaker, scheduler, onError } = settings;
    this.#settings = settings;
    if (breaker === undefined) return;
    const { maxHeldMessages, probeIntervalInMs } = breaker.options;
    this.#gate = new SetAsideGate({
      lookAhead: breaker.lookAhead,
      scheduler,
      allowance: maxHeldMessages,
      restartIntervalInMs: probeIntervalInMs,
      onOpened: () => this.#endThoseInPlace(),
      onError,
    });
    this.#stopListening = breaker.onClosed(() => {
      if (!breaker.isOpen) this.#gate?.reset();
      for (const run of this.#blockedBy("circuitOpen")) void run.end();
    });
  }

  get size(): number {
    return this.#runs.size;
  }

  /** Notes that a message was read. */
  onDecoded(): void {
    this.#gate?.onDecoded();
  }

  /** Notes that a message of a session was handled. */
  onHandled(run: SessionRun): void {
    if (this.#attempts.size > 0) this.#attempts.delete(run.session.sessionId);
  }

  /** Whether a session may stop at the message with this number: when there is room, or no other session could be served in its place. */
  async mayBlock(sequenceNumber: bigint): Promise<boolean> {
    const { breaker, maxBeside } = this.#settings;
    if (this.#gate === undefined || breaker?.options.whenFull === "pause") return true;
    return this.#runs.size < maxBeside || !(await this.#gate.tryPass(sequenceNumber));
  }

  add(run: SessionRun, cause: BlockCause): void {
    this.#runs.set(run, cause);
    if (cause === "circuitOpen") this.#probeLater();
    else
      this.#retryLater(run, cause === "undeserializable" ? this.#settings.retryInMs : this.#nextDelayMs(run));
  }

  delete(run: SessionRun): void {
    this.#runs.delete(run);
    this.#timers.get(run)?.cancel();
    this.#timers.delete(run);
  }

  stop(): void {
    this.#isStopped = true;
    this.#gate?.stop();
    this.#stopListening?.();
    this.#probeTimer?.cancel();
    for (const timer of this.#timers.values()) timer.cancel();
  }

  #retryLater(run: SessionRun, delayMs: number): void {
    if (delayMs === Number.POSITIVE_INFINITY || this.#isStopped) return;
    const timer = this.#settings.scheduler.schedule(delayMs, () => void run.end());
    timer.unref();
    this.#timers.set(run, timer);
  }

  #nextDelayMs({ session: { sessionId } }: SessionRun): number {
    const attempts = this.#attempts.get(sessionId) ?? 0;
    if (this.#attempts.size >= maxRemembered) this.#attempts.clear();
    this.#attempts.set(sessionId, attempts + 1);
    return backoffDelayMs(this.#settings.backoff, attempts);
  }

  #probeLater(): void {
    const { breaker, scheduler } = this.#settings;
    if (this.#probeTimer !== undefined || breaker === undefined || this.#isStopped) return;
    this.#probeTimer = scheduler.schedule(breaker.options.probeIntervalInMs, () => {
      this.#probeTimer = undefined;
      breaker.beginProbe();
      const oldest = this.#blockedBy("circuitOpen")[0];
      if (oldest === undefined) return;
      void oldest.end();
      this.#probeLater();
    });
    this.#probeTimer.unref();
  }

  #endThoseInPlace(): void {
    for (const run of this.#blockedBy("circuitOpen").slice(this.#settings.maxBeside)) void run.end();
  }

  #blockedBy(cause: BlockCause): SessionRun[] {
    return [...this.#runs].filter(([, its]) => its === cause).map(([run]) => run);
  }
}
