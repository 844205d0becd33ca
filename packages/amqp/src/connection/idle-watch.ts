/** What is to be watched, all times in ms; 0 turns a time-out off. */
export interface IdleLimits {
  readonly isHandshaking: boolean;
  readonly handshakeTimeoutMs: number;
  readonly idleTimeOutMs: number;
  readonly remoteIdleTimeOutMs: number;
}

export interface IdleVerdict {
  readonly isExpired: boolean;
  readonly isHeartbeatDue: boolean;
  /** When to look again. */
  readonly nextMs: number | undefined;
}

/** A peer that asks for heartbeats more often than this gets them this often. */
const MIN_HEARTBEAT_MS = 250;

/**
 * Watches both directions of a connection (2.4.5) without reading a clock for every frame: traffic only
 * leaves a mark, and the next look gives it that look's time.
 */
export class IdleWatch {
  #startedMs: number | undefined;
  #receivedMs = 0;
  #heartbeatMs = 0;
  #hasReceived = false;
  #hasSent = false;

  noteReceived(): void {
    this.#hasReceived = true;
  }

  noteSent(): void {
    this.#hasSent = true;
  }

  check(nowMs: number, limits: IdleLimits): IdleVerdict {
    if (this.#startedMs === undefined) {
      this.#startedMs = nowMs;
      this.#receivedMs = nowMs;
      this.#heartbeatMs = nowMs;
    }
    if (this.#hasReceived) this.#receivedMs = nowMs;
    this.#hasReceived = false;
    const expiryMs = this.#expiry(this.#startedMs, limits);
    const intervalMs = heartbeatInterval(limits.remoteIdleTimeOutMs);
    const isHeartbeatDue = intervalMs > 0 && this.#isHeartbeatDue(nowMs, intervalMs);
    const nextHeartbeatMs = intervalMs > 0 ? this.#heartbeatMs + intervalMs : Number.POSITIVE_INFINITY;
    const nextMs = Math.min(expiryMs, nextHeartbeatMs);
    return {
      isExpired: nowMs >= expiryMs,
      isHeartbeatDue,
      nextMs: Number.isFinite(nextMs) ? nextMs : undefined,
    };
  }

  #expiry(startedMs: number, limits: IdleLimits): number {
    if (limits.isHandshaking) {
      return limits.handshakeTimeoutMs > 0 ? startedMs + limits.handshakeTimeoutMs : Number.POSITIVE_INFINITY;
    }
    // 2.4.5: the time-out announced is half of the one enforced.
    return limits.idleTimeOutMs > 0 ? this.#receivedMs + 2 * limits.idleTimeOutMs : Number.POSITIVE_INFINITY;
  }

  /** Whether nothing was sent for a whole interval; only then is an empty frame needed. */
  #isHeartbeatDue(nowMs: number, intervalMs: number): boolean {
    if (nowMs < this.#heartbeatMs + intervalMs) return false;
    const isDue = !this.#hasSent;
    this.#hasSent = false;
    this.#heartbeatMs = nowMs;
    return isDue;
  }
}

/** A third of the peer's time-out: something sent just after a look still leaves less than the whole. */
function heartbeatInterval(remoteIdleTimeOutMs: number): number {
  return remoteIdleTimeOutMs > 0 ? Math.max(MIN_HEARTBEAT_MS, remoteIdleTimeOutMs / 3) : 0;
}
