import type { UndecodedMessage } from "../message.js";
import type { CallOptions, TransportSessionReceiver } from "../transport.js";
import { LockRenewal, type RenewableLock } from "./lock-renewal.js";
import { Receiver, type ReceiverSettings } from "./receiver.js";

/** What a session receiver works with. */
export interface SessionReceiverSettings extends ReceiverSettings {
  readonly receiver: TransportSessionReceiver;
}

/**
 * A receiver that holds the lock of one session: it gets the session's messages in order, and nobody else does. The lock is renewed
 * until the receiver closes, for `maxAutoLockRenewalDurationInMs` at most; when it is lost, every call rejects with `session-lock-lost`.
 */
export class SessionReceiver<Undecoded extends UndecodedMessage = never> extends Receiver<Undecoded> {
  readonly #session: TransportSessionReceiver;
  readonly #lock: SessionLock;
  readonly #renewal: LockRenewal;

  constructor(settings: SessionReceiverSettings) {
    super(settings);
    this.#session = settings.receiver;
    this.#lock = new SessionLock(settings.receiver);
    this.#renewal = new LockRenewal(settings.scheduler);
    this.#renewal.track(this.#lock, settings.renewForMs);
  }

  get sessionId(): string {
    return this.#session.sessionId;
  }

  /** Until when the session's lock holds, as far as this receiver knows. */
  get sessionLockedUntilUtc(): Date {
    return new Date(this.#lock.lockedUntilMs);
  }

  /** Extends the session's lock and resolves with its new end. Rejects with `session-lock-lost` if it ran out. */
  renewSessionLock(options?: CallOptions): Promise<Date> {
    return this.#lock.renew(options);
  }

  /** The session's state, or undefined when none is set. */
  getSessionState(options?: CallOptions): Promise<Uint8Array | undefined> {
    return this.#session.getState(options);
  }

  /** Sets the session's state; undefined clears it. */
  setSessionState(state: Uint8Array | undefined, options?: CallOptions): Promise<void> {
    return this.#session.setState(state, options);
  }

  /** Closes its subscriptions, waiting for the handlers that run, and frees the session for the next receiver. */
  override close(): Promise<void> {
    return super.close().finally(() => this.#renewal.stop());
  }
}

class SessionLock implements RenewableLock {
  readonly #session: TransportSessionReceiver;
  lockedUntilMs: number;
  renewAtMs = Number.POSITIVE_INFINITY;
  renewEveryMs = Number.POSITIVE_INFINITY;
  renewUntilMs = 0;

  constructor(session: TransportSessionReceiver) {
    this.#session = session;
    this.lockedUntilMs = session.sessionLockedUntilUtc.getTime();
  }

  async renew(options?: CallOptions): Promise<Date> {
    const lockedUntil = await this.#session.renewSessionLock(options);
    this.lockedUntilMs = lockedUntil.getTime();
    return lockedUntil;
  }

  /** The transport tells subscriptions of it, and every other call by its rejection. */
  giveUp(): void {}
}
