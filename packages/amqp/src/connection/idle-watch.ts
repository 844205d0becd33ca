/** The timeouts to watch, in ms; 0 disables one. */
export interface IdleLimits {
  readonly isHandshaking: boolean;
  readonly handshakeTimeoutMs: number;
  readonly idleTimeOutMs: number;
  readonly remoteIdleTimeOutMs: number;
}

/** Minimum heartbeat interval, even if the peer asks for shorter ones. */
const MIN_HEARTBEAT_MS = 250;

/**
 * Watches both directions of a connection (2.4.5) without reading a clock per frame: traffic only sets a flag, and the next check uses its
 * own time for it.
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

  /** Checks both directions; `nextMs` is when to check next. */
  check(nowMs: number, limits: IdleLimits) {
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
    // 2.4.5: the announced timeout is half of the enforced one.
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

/** A third of the peer's timeout: data sent just after a check still arrives in time. */
function heartbeatInterval(remoteIdleTimeOutMs: number): number {
  return remoteIdleTimeOutMs > 0 ? Math.max(MIN_HEARTBEAT_MS, remoteIdleTimeOutMs / 3) : 0;
}
