import type { BrokerSessionReceiver } from "@waybill/broker";
import type { CallOptions, TransportSessionReceiver } from "@waybill/core/transport";
import { LocalReceiver, type LocalReceiverSettings } from "./local-receiver.js";

/** Dependencies of a session receiver. */
export interface LocalSessionReceiverSettings extends Omit<LocalReceiverSettings, "open"> {
  /** Its session lock is already held. */
  readonly session: BrokerSessionReceiver;
}

/** Receives the messages of one session of a broker in this process. Closing it releases the session. */
export class LocalSessionReceiver extends LocalReceiver implements TransportSessionReceiver {
  readonly #session: BrokerSessionReceiver;

  constructor(settings: LocalSessionReceiverSettings) {
    const { session } = settings;
    super({ ...settings, open: () => session });
    this.#session = session;
  }

  get sessionId(): string {
    return this.#session.sessionId;
  }

  get sessionLockedUntilUtc(): Date {
    return this.#session.lockedUntil;
  }

  renewSessionLock(options?: CallOptions): Promise<Date> {
    return this.call(options?.abortSignal, () => this.#session.renewSessionLock());
  }

  getState(options?: CallOptions): Promise<Uint8Array | undefined> {
    return this.call(options?.abortSignal, () => this.#session.getState());
  }

  setState(state: Uint8Array | undefined, options?: CallOptions): Promise<void> {
    return this.call(options?.abortSignal, () => this.#session.setState(state));
  }

  /** Also if nothing was received: the lock was taken when the session was accepted. */
  override async close(): Promise<void> {
    await super.close();
    await this.#session.close();
  }
}
