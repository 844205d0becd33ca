import type { CircuitBreaker } from "../circuit-breaker/circuit-breaker.js";
import type { TransportSessionReceiver } from "../contracts/transport.js";
import { WaybillError } from "../errors/error.js";
import { durationMs } from "../foundation/duration.js";
import { type Scheduler, steadyNow, type Timer } from "../foundation/scheduler.js";
import { isDoneWithin } from "../foundation/within.js";
import type { UnavailableBackoff } from "../holding/unavailable-backoff.js";
import type { ErrorReporter } from "../processing/error-reporter.js";
import type { CloseSubscriptionOptions, MessageSubscription } from "../processing/processor-options.js";
import { BlockedSessions } from "./blocked-sessions.js";
import type { ResolvedSubscribeSessionsOptions } from "./session-processor-options.js";
import type { SessionRun, SessionRunEvents } from "./session-run.js";

/** Settings and dependencies of a session processor. */
export interface SessionProcessorSettings {
  readonly scheduler: Scheduler;
  readonly options: ResolvedSubscribeSessionsOptions;
  readonly breaker: CircuitBreaker | undefined;
  readonly backoff: Required<UnavailableBackoff>;
  readonly report: ErrorReporter;
  /** Locks the next session that has messages. */
  readonly accept: (maxWaitTimeInMs: number, abortSignal: AbortSignal) => Promise<TransportSessionReceiver>;
  /** Begins to renew a session's lock; its messages are received once the run is started. */
  readonly open: (session: TransportSessionReceiver, events: SessionRunEvents) => SessionRun;
  readonly onClosed: (processor: SessionProcessor) => void;
}

/** How many sessions are requested concurrently, so that a start does not open hundreds of links. */
const maxAccepts = 16;

/** How long one call waits for a session, in milliseconds; then it is repeated. */
const acceptWaitMs = 60_000;

/**
 * The delay after a failed accept, doubled with each failure in a row, in milliseconds. It is shorter after a lost connection, because a
 * server that restarts is back soon.
 */
const retryDelays = {
  lost: { firstMs: 500, maxMs: 2_000 },
  other: { firstMs: 1_000, maxMs: 30_000 },
} as const;

/**
 * Processes many sessions, several concurrently: accepts the next one that has messages, passes them to the handler in order, and releases
 * the session when it is idle. An idle session is released as soon as another one waits.
 */
export class SessionProcessor implements MessageSubscription {
  readonly #settings: SessionProcessorSettings;
  readonly #stopping = new AbortController();
  readonly #accepts = new Set<Promise<void>>();
  /** All sessions that are accepted and not released. */
  readonly #runs = new Set<SessionRun>();
  readonly #blocked: BlockedSessions;
  /** Idle sessions in the order in which they became idle, with the time. */
  readonly #idle = new Map<SessionRun, number>();
  /** An accepted session that waits until an idle one is released. */
  #next: SessionRun | undefined;
  #isYielding = false;
  #failures = 0;
  #retryTimer: Timer | undefined;
  #idleTimer: Timer | undefined;
  #retireTimer: Timer | undefined;
  #closing: Promise<void> | undefined;

  constructor(settings: SessionProcessorSettings) {
    const { breaker, scheduler, backoff, options, report } = settings;
    this.#settings = settings;
    this.#blocked = new BlockedSessions({
      scheduler,
      breaker,
      backoff,
      retryInMs: options.blockedSessionRetryInMs,
      maxBlocked: options.maxBlockedSessions,
      onError: (error) => void report(error, "receive"),
    });
    this.#fill();
  }

  close(options: CloseSubscriptionOptions = {}): Promise<void> {
    const { closeTimeoutInMs } = this.#settings.options;
    this.#closing ??= this.#close(durationMs("closeTimeoutInMs", options.closeTimeoutInMs, closeTimeoutInMs));
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Requests a session for each free slot, and one more if an idle session could be released for it. */
  #fill(): void {
    if (this.#closing !== undefined || this.#retryTimer !== undefined) return;
    for (let missing = this.#wantedAccepts() - this.#accepts.size; missing > 0; missing -= 1) {
      const accept = this.#accept().finally(() => {
        this.#accepts.delete(accept);
        this.#fill();
      });
      this.#accepts.add(accept);
    }
  }

  #wantedAccepts(): number {
    const free = this.#freeSlots;
    if (free > 0) return Math.min(free, maxAccepts);
    return this.#idle.size > 0 && this.#next === undefined ? 1 : 0;
  }

  get #freeSlots(): number {
    const { maxConcurrentSessions, maxBlockedSessions } = this.#settings.options;
    const asideOnly = Math.min(this.#blocked.size, maxBlockedSessions);
    return maxConcurrentSessions - (this.#runs.size - asideOnly);
  }

  async #accept(): Promise<void> {
    try {
      const session = await this.#settings.accept(acceptWaitMs, this.#stopping.signal);
      this.#failures = 0;
      if (this.#closing === undefined) this.#place(session);
      else await session.close();
    } catch (error) {
      if (this.#closing !== undefined) return;
      if (error instanceof WaybillError && error.code === "timeout") return;
      this.#acceptLater(error);
      await this.#settings.report(error, "acceptSession");
    }
  }

  /** Several requests that fail at the same time count as one failure. */
  #acceptLater(error: unknown): void {
    if (this.#retryTimer !== undefined) return;
    const isLost = error instanceof WaybillError && error.code === "connection-lost";
    const { firstMs, maxMs } = isLost ? retryDelays.lost : retryDelays.other;
    const delayMs = Math.min(firstMs * 2 ** this.#failures, maxMs);
    this.#failures += 1;
    this.#retryTimer = this.#settings.scheduler.schedule(delayMs, () => {
      this.#retryTimer = undefined;
      this.#fill();
    });
  }

  #place(session: TransportSessionReceiver): void {
    const hasPlace = this.#freeSlots > 0;
    const run = this.#settings.open(session, this.#events);
    this.#runs.add(run);
    if (this.#retireTimer === undefined) this.#armRetireTimer(run.retireAtMs);
    if (hasPlace) void run.start();
    else if (this.#next === undefined) {
      this.#next = run;
      void this.#yieldSlot();
    } else void run.end();
  }

  /** Releases the session that has been idle the longest, if it has nothing to deliver, and starts the waiting one. */
  async #yieldSlot(): Promise<void> {
    // The loop also reaches sessions that become idle meanwhile: they are added at the end of the map.
    if (this.#isYielding) return;
    this.#isYielding = true;
    for (const run of this.#idle.keys()) {
      if (this.#next === undefined) break;
      // A message may arrive while it is peeked.
      if (!(await run.isDrained()) || !this.#idle.delete(run)) continue;
      void run.end();
      break;
    }
    this.#isYielding = false;
  }

  readonly #events: SessionRunEvents = {
    onBusy: (run) => {
      this.#idle.delete(run);
    },
    onIdle: (run) => {
      this.#idle.delete(run);
      this.#idle.set(run, steadyNow(this.#settings.scheduler));
      if (!run.isFresh) this.#blocked.onHandled(run);
      if (this.#next !== undefined) void this.#yieldSlot();
      else this.#fill();
      if (this.#idleTimer === undefined) this.#armIdleTimer();
    },
    onDecoded: () => this.#blocked.onDecoded(),
    tryBlock: (sequenceNumber) => this.#blocked.tryBlock(sequenceNumber),
    onBlocked: (run, cause) => {
      this.#idle.delete(run);
      this.#blocked.add(run, cause);
      this.#startNext();
      this.#fill();
    },
    onEnded: (run) => {
      for (const runs of [this.#runs, this.#blocked, this.#idle]) runs.delete(run);
      if (this.#next === run) this.#next = undefined;
      this.#startNext();
      this.#fill();
    },
  };

  #startNext(): void {
    // `#runs` includes the waiting session, so 0 free slots are enough to start it.
    if (this.#next === undefined || this.#freeSlots < 0) return;
    const run = this.#next;
    this.#next = undefined;
    if (this.#closing === undefined) void run.start();
    else void run.end();
  }

  #armIdleTimer(): void {
    const first = this.#idle.values().next();
    if (first.done === true || this.#closing !== undefined) return;
    const { scheduler, options } = this.#settings;
    if (options.sessionIdleTimeoutInMs === Number.POSITIVE_INFINITY) return;
    const delayMs = first.value + options.sessionIdleTimeoutInMs - steadyNow(scheduler);
    this.#idleTimer = scheduler.schedule(Math.max(0, delayMs), this.#endIdle);
    this.#idleTimer.unref();
  }

  readonly #endIdle = (): void => {
    this.#idleTimer = undefined;
    const { scheduler, options } = this.#settings;
    const idleSinceMs = steadyNow(scheduler) - options.sessionIdleTimeoutInMs;
    for (const [run, sinceMs] of this.#idle) {
      if (sinceMs > idleSinceMs) break;
      this.#idle.delete(run);
      void run.end();
    }
    this.#armIdleTimer();
  };

  /** All locks are renewed for the same time, so the session that was accepted first is due first. */
  #armRetireTimer(atMs: number): void {
    const { scheduler } = this.#settings;
    if (atMs === Number.POSITIVE_INFINITY || this.#closing !== undefined) return;
    this.#retireTimer = scheduler.schedule(Math.max(0, atMs - steadyNow(scheduler)), this.#retireDue);
    this.#retireTimer.unref();
  }

  /** Busy sessions end after their current message. */
  readonly #retireDue = (): void => {
    this.#retireTimer = undefined;
    for (const run of this.#runs) {
      if (run.retireAtMs > steadyNow(this.#settings.scheduler)) {
        this.#armRetireTimer(run.retireAtMs);
        return;
      }
      run.retire();
    }
  };

  async #close(timeoutMs: number): Promise<void> {
    const { scheduler, onClosed } = this.#settings;
    this.#stopping.abort();
    this.#blocked.stop();
    this.#retryTimer?.cancel();
    this.#idleTimer?.cancel();
    this.#retireTimer?.cancel();
    try {
      await isDoneWithin(this.#finish(timeoutMs), timeoutMs, scheduler);
    } finally {
      // Also releases sessions whose handlers hang.
      await Promise.allSettled(Array.from(this.#runs, (run) => run.session.close()));
      onClosed(this);
    }
  }

  async #finish(timeoutMs: number): Promise<void> {
    await Promise.all([...this.#accepts, ...Array.from(this.#runs, (run) => run.end(timeoutMs))]);
    // A session may have been accepted meanwhile.
    await Promise.all(Array.from(this.#runs, (run) => run.end(timeoutMs)));
  }
}
