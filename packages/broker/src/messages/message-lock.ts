import type { LockIdentity } from "./lock-token.js";
import type { StoredMessage } from "./stored-message.js";

/** The stored message behind a lock; for the engine. */
export let storedOf: (lock: MessageLock) => StoredMessage;

/** One lock of a message: all that a settlement needs to know of a message that was handed out. */
export class MessageLock implements LockIdentity {
  readonly serial: number;
  readonly secret: number;
  readonly #stored: StoredMessage;

  /** The present lock of a message; made by the broker only. */
  constructor(stored: StoredMessage) {
    this.serial = stored.lockSerial;
    this.secret = stored.lockSecret;
    this.#stored = stored;
  }

  static {
    storedOf = (lock) => lock.#stored;
  }

  get sequence(): number {
    return this.#stored.sequence;
  }

  /** Whether the lock has not ended. */
  get isHeld(): boolean {
    const { lockSerial, lockSecret } = this.#stored;
    return this.serial === lockSerial && this.secret === lockSecret && lockSerial !== 0;
  }
}
