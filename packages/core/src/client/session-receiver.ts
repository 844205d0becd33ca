import type { UndecodedMessage } from "../message.js";
import type { CallOptions, TransportSessionReceiver } from "../transport.js";
import { Receiver, type ReceiverSettings } from "./receiver.js";

/** What a session receiver works with. */
export interface SessionReceiverSettings extends ReceiverSettings {
  readonly receiver: TransportSessionReceiver;
}

/** A receiver that holds the lock of one session: it gets the session's messages in order, and nobody else does. */
export class SessionReceiver<Undecoded extends UndecodedMessage = never> extends Receiver<Undecoded> {
  readonly #session: TransportSessionReceiver;
  #lockedUntil: Date;

  constructor(settings: SessionReceiverSettings) {
    super(settings);
    this.#session = settings.receiver;
    this.#lockedUntil = settings.receiver.sessionLockedUntilUtc;
  }

  get sessionId(): string {
    return this.#session.sessionId;
  }

  /** Until when the session's lock holds, as far as this receiver knows. */
  get sessionLockedUntilUtc(): Date {
    return this.#lockedUntil;
  }

  /** Extends the session's lock and resolves with its new end. Rejects with `session-lock-lost` if it ran out. */
  async renewSessionLock(options?: CallOptions): Promise<Date> {
    this.#lockedUntil = await this.#session.renewSessionLock(options);
    return this.#lockedUntil;
  }

  /** The session's state, or undefined when none is set. */
  getSessionState(options?: CallOptions): Promise<Uint8Array | undefined> {
    return this.#session.getState(options);
  }

  /** Sets the session's state; undefined clears it. */
  setSessionState(state: Uint8Array | undefined, options?: CallOptions): Promise<void> {
    return this.#session.setState(state, options);
  }
}
