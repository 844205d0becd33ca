import type { CallOptions, TransportSessionReceiver } from "../../contracts/transport.js";
import type { HealthMonitor } from "../../diagnostics/health-monitor.js";
import { isLockLost } from "./delivery.js";
import type { LockRenewal, RenewableLock, RenewalPlan } from "./lock-renewal.js";

/** The lock of a session, which covers all its messages. */
export class SessionLock implements RenewableLock {
  readonly receiver: TransportSessionReceiver;
  readonly #health: HealthMonitor;
  readonly #renewal: LockRenewal;
  readonly #renewForMs: number;
  lockedUntilMs: number;
  plan: RenewalPlan | undefined = undefined;

  /** `renewal` may renew the locks of several sessions. */
  constructor(
    receiver: TransportSessionReceiver,
    renewal: LockRenewal,
    renewForMs: number,
    health: HealthMonitor,
  ) {
    this.receiver = receiver;
    this.#renewal = renewal;
    this.#renewForMs = renewForMs;
    this.#health = health;
    this.lockedUntilMs = receiver.sessionLockedUntilUtc.getTime();
  }

  get sessionId(): string {
    return this.receiver.sessionId;
  }

  /** Renews the lock from now on, for the receiver's time; called again while a message waits for an unavailable dependency. */
  keep(): void {
    this.#renewal.track(this, this.#renewForMs);
  }

  /** Stops renewing it. */
  forget(): void {
    this.#renewal.forget(this);
  }

  async renew(options?: CallOptions): Promise<Date> {
    const lockedUntil = await this.receiver.renewSessionLock(options);
    this.lockedUntilMs = lockedUntil.getTime();
    return lockedUntil;
  }

  /** The transport reports the error to subscriptions, and other calls reject with it. */
  onRenewalFailed(error: unknown): void {
    if (isLockLost(error)) this.#health.sessionLost(this.receiver);
  }
}
