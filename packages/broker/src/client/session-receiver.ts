import { type OptionNames, requireKnownOptions } from "@waybill/foundation";
import type { Engine } from "../engine/engine.js";
import type { Session, SessionHolder, SessionLock } from "../entities/session.js";
import type { SessionAcceptor, SessionTable } from "../entities/session-table.js";
import type { ReceiveMode } from "../entities/waiter.js";
import { type BrokerError, refusal, sessionLockLost } from "../errors/broker-error.js";
import { lockSession, releaseSession, renewSession } from "../lifecycle/session-lock.js";
import { acceptSession, sessionsOf } from "../operations/accept-session.js";
import { checkReceivable } from "../operations/receive.js";
import { setSessionState } from "../operations/session-state.js";
import { Deadline } from "../timing/deadline.js";
import { MessageReceiver, type ReceiveSource } from "./message-receiver.js";
import type { PullOptions } from "./pull-waiter.js";

/** Which session to accept, and how long to wait for one. */
export interface AcceptSessionOptions extends PullOptions {
  /** Default: the unlocked session with the oldest waiting message. */
  readonly sessionId?: string | undefined;
  /** Default `"peekLock"`. */
  readonly mode?: ReceiveMode | undefined;
}

/**
 * Receives the messages of one session, in order, while it holds the session's lock. Once the lock is lost, everything rejects with
 * `session-lock-lost`. In receive-and-delete mode, receiving keeps the lock. Closing it releases the session without counting failed
 * deliveries.
 */
export class BrokerSessionReceiver extends MessageReceiver implements SessionHolder {
  readonly #lock: SessionLock;
  #lost: Error | undefined;
  #isClosed = false;
  #onLost: ((error: Error) => void) | undefined;

  /** Created by `Broker.acceptSession`. */
  constructor(engine: Engine, path: string, mode: ReceiveMode, session: Session, nowMs: number) {
    super(engine, path, mode);
    this.#lock = lockSession(engine, session, this, nowMs);
  }

  get sessionId(): string {
    return this.#lock.session.id;
  }

  /** When the session's lock expires unless it is renewed. */
  get lockedUntil(): Date {
    return new Date(this.#lock.session.store.engine.timers.instantOf(this.#lock) ?? 0);
  }

  /** Whether the lock was lost or released. */
  get isLost(): boolean {
    return this.#lost !== undefined || this.#isClosed;
  }

  /** Calls `listener` once when the lock is lost other than by `close`. */
  onLost(listener: (error: Error) => void): void {
    this.#onLost = listener;
  }

  /** Renews the session's lock, and with it those of its messages; resolves with its new end. */
  async renewSessionLock(): Promise<Date> {
    const nowMs = this.engine.begin();
    this.source();
    renewSession(this.engine, this.#lock, nowMs);
    return this.lockedUntil;
  }

  /** A copy of the session's state; `undefined` if it has none. */
  async getState(): Promise<Uint8Array | undefined> {
    this.engine.begin();
    this.source();
    return this.#lock.session.state?.slice();
  }

  /**
   * Sets the session's state, which outlives its messages and counts towards the entity's quota; `undefined` or null clears it. Rejects
   * with `message-size-exceeded` or `quota-exceeded`.
   */
  async setState(state: Uint8Array | null | undefined): Promise<void> {
    const nowMs = this.engine.begin();
    this.source();
    setSessionState(this.engine, this.#lock.session, state ?? undefined, nowMs);
    await this.engine.end(nowMs);
  }

  /** Releases the session: its unsettled messages are available again at once. */
  async close(): Promise<void> {
    this.closeConsumers();
    if (this.isLost) return;
    this.#isClosed = true;
    if (this.engine.isStopped) return;
    const nowMs = this.engine.begin();
    if (this.#lock.session.lock === this.#lock) {
      const { waiters } = this.#lock.lane;
      // Creating an error is expensive, and sessions are closed by the thousand.
      if (waiters.first !== undefined) waiters.refuseAll(sessionLockLost(this.path, this.sessionId));
      releaseSession(this.engine, this.#lock, nowMs);
    }
    await this.engine.end(nowMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  keepsSession(): boolean {
    return this.mode === "receiveAndDelete" && this.#lock.lane.waiters.first !== undefined;
  }

  onSessionLost(error: Error): void {
    this.#lost = error;
    this.#lock.lane.waiters.refuseAll(error);
    this.endConsumers(error);
    this.#onLost?.(error);
  }

  protected override onReceive(nowMs: number): void {
    if (this.mode === "receiveAndDelete") renewSession(this.engine, this.#lock, nowMs);
  }

  protected override source(): ReceiveSource {
    if (this.#lost !== undefined) throw this.#lost;
    if (this.#isClosed) throw sessionLockLost(this.path, this.sessionId);
    const { session, lane } = this.#lock;
    return { store: session.store, lane, sessionId: session.id };
  }
}

const acceptOptionNames: OptionNames<AcceptSessionOptions> = {
  sessionId: true,
  mode: true,
  maxWaitMs: true,
  signal: true,
};

/** Locks a session for a new receiver, see `Broker.acceptSession`. */
export async function openSession(
  engine: Engine,
  path: string,
  options: AcceptSessionOptions,
): Promise<BrokerSessionReceiver> {
  requireKnownOptions("acceptSession", options, acceptOptionNames);
  const { sessionId, mode = "peekLock", maxWaitMs = Number.POSITIVE_INFINITY, signal } = options;
  if (signal?.aborted) throw cancelled(path);
  const nowMs = engine.begin();
  const store = engine.entities.receiveSource(path);
  const sessions = sessionsOf(store);
  if (engine.faults.isActive) engine.faults.check(path);
  checkReceivable(store, sessionId ?? "");
  store.owner.accessedAtMs = nowMs;
  const session = sessionId === undefined ? sessions.takeNext() : acceptSession(store, sessionId);
  if (session !== undefined) return new BrokerSessionReceiver(engine, path, mode, session, nowMs);
  if (maxWaitMs <= 0) throw noSession(path);
  return waitForSession(engine, sessions, path, mode, maxWaitMs, signal, nowMs);
}

function waitForSession(
  engine: Engine,
  { acceptors }: SessionTable,
  path: string,
  mode: ReceiveMode,
  maxWaitMs: number,
  signal: AbortSignal | undefined,
  nowMs: number,
): Promise<BrokerSessionReceiver> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      acceptors.delete(acceptor);
      engine.timers.disarm(deadline);
      engine.timers.endWait();
      signal?.removeEventListener("abort", onAbort);
    };
    const refuse = (error: Error): void => {
      end();
      reject(error);
    };
    const onAbort = (): void => refuse(cancelled(path));
    const deadline = new Deadline(() => refuse(noSession(path)));
    const acceptor: SessionAcceptor = {
      accept: (session, atMs) => {
        end();
        resolve(new BrokerSessionReceiver(engine, path, mode, session, atMs));
      },
      refuse,
    };
    acceptors.add(acceptor);
    engine.timers.beginWait();
    signal?.addEventListener("abort", onAbort, { once: true });
    if (maxWaitMs !== Number.POSITIVE_INFINITY) engine.timers.arm(deadline, nowMs + maxWaitMs);
  });
}

function noSession(path: string): BrokerError {
  return refusal(path, "timeout", `No session of '${path}' became available in time.`);
}

function cancelled(path: string): BrokerError {
  return refusal(path, "cancelled", `Accepting a session of '${path}' was cancelled.`);
}
