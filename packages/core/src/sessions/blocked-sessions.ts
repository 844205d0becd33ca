import type { Scheduler, Timer } from "@waybill/foundation";
import type { CircuitBreaker } from "../receive/circuit-breaker/circuit-breaker.js";
import type { LookAhead } from "../receive/circuit-breaker/look-ahead.js";
import { backoffDelayMs, type UnavailableBackoff } from "../receive/delivery/unavailable-backoff.js";
import { LookPast } from "../receive/holding/look-past.js";
import type { BlockCause } from "../receive/processing/processor-settings.js";
import type { SessionRun } from "./session-run.js";

/** Dependencies and limits of blocked sessions. */
export interface BlockedSessionsSettings {
  readonly scheduler: Scheduler;
  readonly breaker: CircuitBreaker | undefined;
  readonly lookAhead: LookAhead | undefined;
  readonly backoff: Required<UnavailableBackoff>;
  /** How long a session that stopped at an undeserializable message is kept locked, in milliseconds. */
  readonly retryInMs: number;
  /** How many are kept locked in addition to those that are processed. */
  readonly maxBlocked: number;
  readonly onError: (error: unknown) => void;
}

/** How many sessions that wait for an unavailable dependency are remembered. */
const maxRemembered = 10_000;

/**
 * Sessions that stopped at a message and are kept locked, so that others can be accepted. Each is released after a delay, to be accepted and
 * tried again, which does not increase delivery counts. Those that stopped at an open circuit are released one at a time, and all of them
 * when it closes.
 */
export class BlockedSessions {
  readonly #settings: BlockedSessionsSettings;
  readonly #runs = new Map<SessionRun, BlockCause>();
  readonly #timers = new Map<SessionRun, Timer>();
  /** The failed attempts of each session that waits for an unavailable dependency. */
  readonly #attempts = new Map<string, number>();
  readonly #lookPast: LookPast | undefined;
  readonly #stopListening: (() => void) | undefined;
  #probeTimer: Timer | undefined;
  #isStopped = false;

  constructor(settings: BlockedSessionsSettings) {
    const { breaker, lookAhead, scheduler, onError } = settings;
    this.#settings = settings;
    if (breaker === undefined || lookAhead === undefined) return;
    const looking = { lookAhead, scheduler, breaker };
    const onAllowance = () => this.#endThoseInPlace();
    this.#lookPast = new LookPast(looking, { isRefilled: true, onAllowance, onError });
    this.#stopListening = breaker.onCircuitClosed(() => {
      if (!breaker.isOpen) this.#lookPast?.reset();
      for (const run of this.#blockedBy("circuitOpen")) void run.end();
    });
  }

  get size(): number {
    return this.#runs.size;
  }

  has(run: SessionRun): boolean {
    return this.#runs.has(run);
  }

  onDecoded(): void {
    this.#lookPast?.onDecoded();
  }

  /** Resets the attempts of a session after one of its messages was handled. */
  onHandled(run: SessionRun): void {
    if (this.#attempts.size > 0) this.#attempts.delete(run.session.sessionId);
  }

  /** Whether a session may stop at this message: if there is room for one more, or no other session could be processed instead. */
  async tryBlock(sequenceNumber: bigint): Promise<boolean> {
    const { breaker, maxBlocked } = this.#settings;
    if (this.#lookPast === undefined || breaker?.options.whenFull === "pause") return true;
    return this.#runs.size < maxBlocked || !(await this.#lookPast.tryPass(sequenceNumber));
  }

  add(run: SessionRun, cause: BlockCause): void {
    this.#runs.set(run, cause);
    if (cause === "circuitOpen") this.#probeLater();
    else
      this.#retryLater(run, cause === "undeserializable" ? this.#settings.retryInMs : this.#nextDelayMs(run));
  }

  /** The session that has waited the longest for an unavailable dependency. */
  get longestUnavailable(): SessionRun | undefined {
    return this.#blockedBy("unavailable")[0];
  }

  delete(run: SessionRun): void {
    this.#runs.delete(run);
    this.#timers.get(run)?.cancel();
    this.#timers.delete(run);
  }

  stop(): void {
    this.#isStopped = true;
    this.#lookPast?.stop();
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
    for (const run of this.#blockedBy("circuitOpen").slice(this.#settings.maxBlocked)) void run.end();
  }

  #blockedBy(cause: BlockCause): SessionRun[] {
    return [...this.#runs].filter(([, its]) => its === cause).map(([run]) => run);
  }
}
