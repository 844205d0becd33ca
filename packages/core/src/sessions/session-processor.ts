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

/** What a session processor works with. */
export interface SessionProcessorSettings {
  readonly scheduler: Scheduler;
  readonly options: ResolvedSubscribeSessionsOptions;
  readonly breaker: CircuitBreaker | undefined;
  readonly backoff: Required<UnavailableBackoff>;
  readonly reporter: ErrorReporter;
  /** Locks the next session that has messages. */
  readonly accept: (maxWaitTimeInMs: number, abortSignal: AbortSignal) => Promise<TransportSessionReceiver>;
  /** Begins to keep a session's lock; its messages come when it is started. */
  readonly open: (session: TransportSessionReceiver, events: SessionRunEvents) => SessionRun;
  readonly onClosed: (processor: SessionProcessor) => void;
}

/** No more sessions than this are asked for at once, so that a start does not open hundreds of links. */
const maxAccepts = 16;

/** How long one call waits for a session, in milliseconds; then it is made again. */
const acceptWaitMs = 60_000;

/**
 * The pause after a failed accept, doubled with each failure in a row, in milliseconds. A lost connection is tried more often: a server that
 * restarts is back soon, and trying costs it nothing.
 */
const retryPauses = {
  lost: { firstMs: 500, longestMs: 2_000 },
  other: { firstMs: 1_000, longestMs: 30_000 },
} as const;

/**
 * Serves many sessions, some at once: accepts the next that has messages, hands them to the handler in order, and lets the session go
 * when it is idle. A session without messages gives way as soon as another one waits.
 */
export class SessionProcessor implements MessageSubscription {
  readonly #settings: SessionProcessorSettings;
  readonly #stopping = new AbortController();
  readonly #accepts = new Set<Promise<void>>();
  /** All that are accepted and not let go. */
  readonly #runs = new Set<SessionRun>();
  readonly #blocked: BlockedSessions;
  /** In order of becoming idle, with the instant. */
  readonly #idle = new Map<SessionRun, number>();
  /** Accepted, and waiting until an idle session gives way. */
  #next: SessionRun | undefined;
  #isYielding = false;
  #failures = 0;
  #retryTimer: Timer | undefined;
  #idleTimer: Timer | undefined;
  #retireTimer: Timer | undefined;
  #closing: Promise<void> | undefined;

  constructor(settings: SessionProcessorSettings) {
    const { breaker, scheduler, backoff, options, reporter } = settings;
    this.#settings = settings;
    this.#blocked = new BlockedSessions({
      scheduler,
      breaker,
      backoff,
      retryInMs: options.blockedSessionRetryInMs,
      maxBeside: options.maxBlockedSessions,
      onError: (error) => void reporter.report(error, "receive"),
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

  /** Asks for as many sessions as there are places, and for one more when an idle session could give way to it. */
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
    const free = this.#freePlaces;
    if (free > 0) return Math.min(free, maxAccepts);
    return this.#idle.size > 0 && this.#next === undefined ? 1 : 0;
  }

  get #freePlaces(): number {
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
      await this.#settings.reporter.report(error, "acceptSession");
    }
  }

  /** What ends several requests at once is one failure. */
  #acceptLater(error: unknown): void {
    if (this.#retryTimer !== undefined) return;
    const isLost = error instanceof WaybillError && error.code === "connection-lost";
    const { firstMs, longestMs } = isLost ? retryPauses.lost : retryPauses.other;
    const delayMs = Math.min(firstMs * 2 ** this.#failures, longestMs);
    this.#failures += 1;
    this.#retryTimer = this.#settings.scheduler.schedule(delayMs, () => {
      this.#retryTimer = undefined;
      this.#fill();
    });
  }

  #place(session: TransportSessionReceiver): void {
    const hasPlace = this.#freePlaces > 0;
    const run = this.#settings.open(session, this.#events);
    this.#runs.add(run);
    if (this.#retireTimer === undefined) this.#armRetireTimer(run.retireAtMs);
    if (hasPlace) void run.start();
    else if (this.#next === undefined) {
      this.#next = run;
      void this.#yieldPlace();
    } else void run.end();
  }

  /** Lets the session go that has been idle the longest, if it has nothing to deliver, and starts the one that waits. */
  async #yieldPlace(): Promise<void> {
    // A session that becomes idle meanwhile is asked too: it stands at the end of the map.
    if (this.#isYielding) return;
    this.#isYielding = true;
    for (const run of this.#idle.keys()) {
      if (this.#next === undefined) break;
      // A message may come while it is asked.
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
      if (this.#next !== undefined) void this.#yieldPlace();
      else this.#fill();
      if (this.#idleTimer === undefined) this.#armIdleTimer();
    },
    onDecoded: () => this.#blocked.onDecoded(),
    mayBlock: (sequenceNumber) => this.#blocked.mayBlock(sequenceNumber),
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
    // The one that waits is among the runs, so a place is free when none is missing without it.
    if (this.#next === undefined || this.#freePlaces < 0) return;
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

  /** All locks are renewed for equally long, so the session that was accepted first is due first. */
  #armRetireTimer(atMs: number): void {
    const { scheduler } = this.#settings;
    if (atMs === Number.POSITIVE_INFINITY || this.#closing !== undefined) return;
    this.#retireTimer = scheduler.schedule(Math.max(0, atMs - steadyNow(scheduler)), this.#retireDue);
    this.#retireTimer.unref();
  }

  /** Those that are busy end by themselves after their message. */
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
      // Sessions whose handlers hang are let go all the same.
      await Promise.allSettled(Array.from(this.#runs, (run) => run.session.close()));
      onClosed(this);
    }
  }

  async #finish(timeoutMs: number): Promise<void> {
    await Promise.all([...this.#accepts, ...Array.from(this.#runs, (run) => run.end(timeoutMs))]);
    // A session that came at the last moment.
    await Promise.all(Array.from(this.#runs, (run) => run.end(timeoutMs)));
  }
}
