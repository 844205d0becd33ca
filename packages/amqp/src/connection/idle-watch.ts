import type { Open } from "../frames/performatives.js";
import type { ResolvedConnectionOptions } from "./connection-options.js";

/** Minimum heartbeat interval, even if the peer asks for shorter ones. */
const minHeartbeatMs = 250;

/**
 * Watches both directions of a connection (2.4.5) without reading a clock per frame: traffic only sets a flag, and the next check uses its
 * own time for it.
 */
export class IdleWatch {
  readonly #options: ResolvedConnectionOptions;
  #startedMs: number | undefined;
  #receivedMs = 0;
  #heartbeatMs = 0;
  #hasReceived = false;
  #hasSent = false;

  constructor(options: ResolvedConnectionOptions) {
    this.#options = options;
  }

  noteReceived(): void {
    this.#hasReceived = true;
  }

  noteSent(): void {
    this.#hasSent = true;
  }

  /** Checks both directions of a connection, whose peer has sent `remoteOpen` or not yet; `nextMs` is when to check next. */
  check(nowMs: number, remoteOpen: Open | undefined) {
    if (this.#startedMs === undefined) {
      this.#startedMs = nowMs;
      this.#receivedMs = nowMs;
      this.#heartbeatMs = nowMs;
    }
    if (this.#hasReceived) this.#receivedMs = nowMs;
    this.#hasReceived = false;
    const expiryMs = this.#expiry(this.#startedMs, remoteOpen === undefined);
    const intervalMs = heartbeatInterval(remoteOpen?.idleTimeOut ?? 0);
    const isHeartbeatDue = intervalMs > 0 && this.#isHeartbeatDue(nowMs, intervalMs);
    const nextHeartbeatMs = intervalMs > 0 ? this.#heartbeatMs + intervalMs : Number.POSITIVE_INFINITY;
    const nextMs = Math.min(expiryMs, nextHeartbeatMs);
    return {
      isExpired: nowMs >= expiryMs,
      isHeartbeatDue,
      nextMs: Number.isFinite(nextMs) ? nextMs : undefined,
    };
  }

  #expiry(startedMs: number, isHandshaking: boolean): number {
    const { handshakeTimeoutMs, idleTimeOutMs } = this.#options;
    // 2.4.5: the announced timeout is half of the enforced one.
    const [fromMs, timeoutMs] = isHandshaking
      ? [startedMs, handshakeTimeoutMs]
      : [this.#receivedMs, 2 * idleTimeOutMs];
    return timeoutMs > 0 ? fromMs + timeoutMs : Number.POSITIVE_INFINITY;
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
  return remoteIdleTimeOutMs > 0 ? Math.max(minHeartbeatMs, remoteIdleTimeOutMs / 3) : 0;
}
