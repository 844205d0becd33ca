import { TimerEntry } from "../timing/timing-wheel.js";
import type { LockIdentity, LockTokens } from "./lock-token.js";
import type { StoredMessage } from "./stored-message.js";

/** The stored message behind a lock; for the engine. */
export let storedOf: (lock: MessageLock) => StoredMessage;

/** One lock of a message, with which it is settled, and the timer of its end. */
export class MessageLock extends TimerEntry implements LockIdentity {
  readonly serial: number;
  readonly secret: number;
  readonly #stored: StoredMessage;

  /** A new lock; created by the broker only. */
  constructor(stored: StoredMessage, tokens: LockTokens) {
    super();
    this.serial = tokens.next();
    this.secret = tokens.next();
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
    return this.#stored.lock === this;
  }

  override onDue(nowMs: number): void {
    this.#stored.store.engine.onMessageDue(this.#stored, nowMs);
  }
}
