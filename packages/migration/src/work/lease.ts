import { WaybillError } from "@waybill/core";
import type { Scheduler, Timer, TransportSessionReceiver } from "@waybill/core/transport";
import { controllerForMany } from "@waybill/foundation";
import { formatState, type ItemState, type JobState, parseState } from "./item-state.js";

/** How often at most the lock is renewed, in milliseconds. */
const minRenewalMs = 500;

/**
 * Holds the lock of a session and renews it. Only its holder can write the session's state: the broker refuses whoever has lost the lock, so
 * that a process that was stopped for a while cannot overwrite what its successor wrote.
 */
export class Lease<State extends ItemState | JobState> implements AsyncDisposable {
  readonly session: TransportSessionReceiver;
  readonly #scheduler: Scheduler;
  readonly #lost = controllerForMany();
  #timer: Timer | undefined;

  constructor(session: TransportSessionReceiver, scheduler: Scheduler) {
    this.session = session;
    this.#scheduler = scheduler;
    this.#renewLater(session.sessionLockedUntilUtc);
  }

  /** Aborts when the lock is lost. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** What the holders before have written; undefined if nothing. */
  async read(): Promise<State | undefined> {
    const { session } = this;
    const bytes = await session.getState();
    return bytes === undefined || bytes.length === 0
      ? undefined
      : parseState<State>(bytes, session.sessionId, session.entityPath);
  }

  /** Resolves when the broker has the state; rejects with `session-lock-lost` once somebody else may hold the lock. */
  async write(state: State | undefined): Promise<void> {
    await this.session.setState(state && formatState(state));
  }

  /** Gives the lock back. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer?.cancel();
    this.#lost.abort();
    await this.session.close();
  }

  #renewLater(until: Date): void {
    const leftMs = until.getTime() - this.#scheduler.now();
    this.#timer = this.#scheduler.schedule(
      Math.max(leftMs / 2, minRenewalMs),
      () => void this.#renew(until).catch((error: unknown) => this.#lost.abort(error)),
    );
    // A result that its caller forgot to dispose of must not keep the process alive.
    this.#timer.unref();
  }

  async #renew(until: Date): Promise<void> {
    if (this.#lost.signal.aborted) return;
    try {
      this.#renewLater(await this.session.renewSessionLock());
    } catch (error) {
      const isOver = this.#scheduler.now() >= until.getTime();
      if (isOver || !(error instanceof WaybillError) || !error.retryable) throw error;
      this.#renewLater(until);
    }
  }
}
