import { DueTimer, isDoneWithin, steadyNowOf, type Timer } from "@waybill/foundation";
import type {
  EntityAddress,
  Transport,
  TransportReceiverEvents,
  TransportSessionReceiver,
} from "../contracts/transport.js";
import { hasCode } from "../errors/error.js";
import type { UndecodedMessage } from "../message/message.js";
import { LockRenewal } from "../receive/delivery/lock-renewal.js";
import type { ReceiverContext } from "../receive/delivery/receiver-context.js";
import { type ErrorReporter, errorReporter } from "../receive/processing/error-reporter.js";
import { BlockedSessions } from "./blocked-sessions.js";
import type {
  ResolvedSubscribeSessionsOptions,
  SessionMessageHandlers,
} from "./session-processor-options.js";
import type { SessionOwner } from "./session-receiver.js";
import { SessionRun, type SessionRunEvents } from "./session-run.js";
import { SessionSearch, searchIntervalMs } from "./session-search.js";

/** What the client provides to a session processor. */
export interface SessionProcessorSettings
  extends Pick<ReceiverContext, "entityPath" | "scheduler" | "breaker" | "lookAhead" | "backoff"> {
  readonly transport: Transport;
  readonly events: TransportReceiverEvents;
  readonly address: EntityAddress;
  /** Makes the context of the receiver of a session. */
  readonly open: (
    session: TransportSessionReceiver,
    kind: {
      readonly renewForMs: number;
      readonly isBlocking: boolean;
      readonly sessionRenewal: LockRenewal;
    },
  ) => { readonly context: ReceiverContext; readonly owner: SessionOwner };
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
export class SessionProcessor {
  readonly #handlers: SessionMessageHandlers<unknown, UndecodedMessage>;
  readonly #options: ResolvedSubscribeSessionsOptions;
  readonly #settings: SessionProcessorSettings;
  readonly #report: ErrorReporter;
  /** One timer for the locks of all sessions. */
  readonly #renewal: LockRenewal;
  readonly #stopping = new AbortController();
  readonly #accepts = new Set<Promise<void>>();
  /** All sessions that are accepted and not released. */
  readonly #runs = new Set<SessionRun>();
  readonly #blocked: BlockedSessions;
  /** Finds sessions behind those that wait for an unavailable dependency; undefined where it cannot peek. */
  readonly #search: SessionSearch | undefined;
  /** The sessions that it found, to be accepted next. */
  readonly #found: string[] = [];
  /** Idle sessions in the order in which they became idle, with the time. */
  readonly #idle = new Map<SessionRun, number>();
  /** An accepted session that waits until an idle one is released. */
  #next: SessionRun | undefined;
  #isYielding = false;
  #failures = 0;
  #retryTimer: Timer | undefined;
  readonly #idleTimer: DueTimer;
  readonly #retireTimer: DueTimer;
  #searchTimer: Timer | undefined;
  #closing: Promise<void> | undefined;

  /** Starts to process sessions. */
  constructor(
    handlers: SessionMessageHandlers<unknown, UndecodedMessage>,
    options: ResolvedSubscribeSessionsOptions,
    settings: SessionProcessorSettings,
  ) {
    const { scheduler, entityPath } = settings;
    const report = errorReporter(handlers, entityPath, undefined);
    this.#handlers = handlers;
    this.#options = options;
    this.#settings = settings;
    this.#report = report;
    this.#renewal = new LockRenewal(scheduler);
    this.#idleTimer = new DueTimer(scheduler, (nowMs) => this.#endIdle(nowMs), false);
    this.#retireTimer = new DueTimer(scheduler, (nowMs) => this.#retireDue(nowMs), false);
    this.#blocked = new BlockedSessions({
      ...settings,
      retryInMs: options.blockedSessionRetryInMs,
      maxBlocked: options.maxBlockedSessions,
      onError: (error) => void report(error, "receive"),
    });
    const { lookAhead } = settings;
    if (lookAhead !== undefined) this.#search = new SessionSearch(lookAhead, scheduler);
    this.#fill();
  }

  /** Releases all sessions after their running handlers have finished, or when the time is up. */
  close(timeoutMs: number): Promise<void> {
    this.#closing ??= this.#close(timeoutMs);
    return this.#closing;
  }

  /** Requests a session for each free slot, and one more if an idle session could be released for it. */
  #fill(): void {
    if (this.#closing !== undefined || this.#retryTimer !== undefined) return;
    for (let missing = this.#wantedAccepts() - this.#accepts.size; missing > 0; missing--) {
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
    const { maxConcurrentSessions, maxBlockedSessions } = this.#options;
    const asideOnly = Math.min(this.#blocked.size, maxBlockedSessions);
    return maxConcurrentSessions - (this.#runs.size - asideOnly);
  }

  async #accept(): Promise<void> {
    const found = this.#found.shift();
    try {
      const { transport, address, events } = this.#settings;
      const session = await transport.acceptSession(address, found, {
        receiveMode: this.#options.receiveMode,
        maxWaitTimeInMs: acceptWaitMs,
        abortSignal: this.#stopping.signal,
        ...events,
      });
      this.#failures = 0;
      if (this.#closing === undefined) this.#place(session);
      else await session.close();
    } catch (error) {
      if (this.#closing !== undefined || hasCode(error, "timeout")) return;
      // Another receiver holds the session that was found.
      if (found !== undefined && hasCode(error, "session-cannot-be-locked")) return;
      this.#acceptLater(error);
      await this.#report(error, "acceptSession");
    }
  }

  /** Several requests that fail at the same time count as one failure. */
  #acceptLater(error: unknown): void {
    if (this.#retryTimer !== undefined) return;
    const { firstMs, maxMs } = retryDelays[hasCode(error, "connection-lost") ? "lost" : "other"];
    const delayMs = Math.min(firstMs * 2 ** this.#failures, maxMs);
    this.#failures++;
    this.#retryTimer = this.#settings.scheduler.schedule(delayMs, () => {
      this.#retryTimer = undefined;
      this.#fill();
    });
  }

  #place(session: TransportSessionReceiver): void {
    const hasPlace = this.#freeSlots > 0;
    const run = this.#open(session);
    this.#runs.add(run);
    if (this.#closing === undefined) this.#retireTimer.set(run.retireAtMs);
    if (hasPlace) void run.start();
    else if (this.#next === undefined) {
      this.#next = run;
      void this.#yieldSlot();
    } else void run.end();
  }

  #open(session: TransportSessionReceiver): SessionRun {
    const options = this.#options;
    const { context, owner } = this.#settings.open(session, {
      renewForMs: options.maxAutoLockRenewalDurationInMs,
      isBlocking: options.undeserializableAction === "block",
      sessionRenewal: this.#renewal,
    });
    return new SessionRun({ context, owner, handlers: this.#handlers, options, events: this.#events });
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
      // It has no more to do until it is released.
      if (this.#blocked.has(run)) return;
      this.#idle.delete(run);
      const nowMs = steadyNowOf(this.#settings.scheduler);
      this.#idle.set(run, nowMs);
      if (!run.isFresh) this.#blocked.onHandled(run);
      if (this.#next !== undefined) void this.#yieldSlot();
      else this.#fill();
      if (this.#closing === undefined) this.#idleTimer.set(nowMs + this.#options.sessionIdleTimeoutInMs);
    },
    onDecoded: () => this.#blocked.onDecoded(),
    tryBlock: (sequenceNumber) => this.#blocked.tryBlock(sequenceNumber),
    onBlocked: (run, cause) => {
      this.#idle.delete(run);
      this.#blocked.add(run, cause);
      this.#startNext();
      this.#fill();
      void this.#lookPastBlocked();
    },
    onEnded: (run) => {
      for (const runs of [this.#runs, this.#blocked, this.#idle]) runs.delete(run);
      if (this.#next === run) this.#next = undefined;
      this.#startNext();
      this.#fill();
    },
  };

  /**
   * While all places are taken by sessions that wait for an unavailable dependency, looks for one behind them whose messages can be read, and
   * releases the one that has waited the longest for it. Its messages keep their order and their delivery count.
   */
  async #lookPastBlocked(): Promise<void> {
    const oldest = this.#blocked.longestUnavailable;
    const isFull = this.#freeSlots <= 0 && this.#blocked.size === this.#runs.size;
    if (!isFull || oldest === undefined || this.#search === undefined || this.#closing !== undefined) return;
    try {
      const found = await this.#search.find(Array.from(this.#runs, ({ session }) => session.sessionId));
      if (found === undefined) return this.#searchLater();
      this.#found.push(found);
      await oldest.end();
    } catch (error) {
      this.#searchLater();
      await this.#report(error, "receive");
    }
  }

  #searchLater(): void {
    if (this.#searchTimer !== undefined || this.#closing !== undefined) return;
    this.#searchTimer = this.#settings.scheduler.schedule(searchIntervalMs, () => {
      this.#searchTimer = undefined;
      void this.#lookPastBlocked();
    });
    this.#searchTimer.unref();
  }

  #startNext(): void {
    // `#runs` includes the waiting session, so 0 free slots are enough to start it.
    if (this.#next === undefined || this.#freeSlots < 0) return;
    const run = this.#next;
    this.#next = undefined;
    if (this.#closing === undefined) void run.start();
    else void run.end();
  }

  #endIdle(nowMs: number): void {
    for (const [run, sinceMs] of this.#idle) {
      const endsAtMs = sinceMs + this.#options.sessionIdleTimeoutInMs;
      if (endsAtMs > nowMs) {
        this.#idleTimer.set(endsAtMs);
        return;
      }
      this.#idle.delete(run);
      void run.end();
    }
  }

  /** All locks are renewed for the same time, so the session that was accepted first is due first. Busy ones end after their current message. */
  #retireDue(nowMs: number): void {
    for (const run of this.#runs) {
      if (run.retireAtMs > nowMs) {
        this.#retireTimer.set(run.retireAtMs);
        return;
      }
      run.retire();
    }
  }

  async #close(timeoutMs: number): Promise<void> {
    this.#stopping.abort();
    this.#blocked.stop();
    this.#retryTimer?.cancel();
    this.#idleTimer.cancel();
    this.#retireTimer.cancel();
    this.#searchTimer?.cancel();
    try {
      await isDoneWithin(this.#finish(timeoutMs), timeoutMs, this.#settings.scheduler);
    } finally {
      // Also releases sessions whose handlers hang.
      await Promise.allSettled(Array.from(this.#runs, (run) => run.session.close()));
      this.#renewal.stop();
    }
  }

  async #finish(timeoutMs: number): Promise<void> {
    await Promise.all([...this.#accepts, ...Array.from(this.#runs, (run) => run.end(timeoutMs))]);
    // A session may have been accepted meanwhile.
    await Promise.all(Array.from(this.#runs, (run) => run.end(timeoutMs)));
  }
}
