import type { LockIdentity } from "./lock-token.js";
import type { StoredMessage } from "./stored-message.js";

/** The stored message behind a lock; for the engine. */
export let storedOf: (lock: MessageLock) => StoredMessage;

/** One lock of a message, with which it is settled. */
export class MessageLock implements LockIdentity {
  readonly serial: number;
  readonly secret: number;
  readonly #stored: StoredMessage;

  /** The current lock of a message; created by the broker only. */
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

  /** Writes the 16 bytes of the lock token, in the order of its digits, into `target` from `start` on. */
  writeToken(target: Uint8Array, start: number): void {
    this.#stored.store.engine.lockTokens.encode(this, target, start);
  }

  /** Whether the lock is still held. */
  get isHeld(): boolean {
    const { lockSerial, lockSecret } = this.#stored;
    return this.serial === lockSerial && this.secret === lockSecret && lockSerial !== 0;
  }
}
