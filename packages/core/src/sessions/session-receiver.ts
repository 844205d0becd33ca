import type { CallOptions, TransportSessionReceiver } from "../contracts/transport.js";
import { isLockLost } from "../delivery/delivery.js";
import type { Intake } from "../delivery/intake.js";
import { LockRenewal, type RenewableLock, type RenewalPlan } from "../delivery/lock-renewal.js";
import type { HealthMonitor } from "../diagnostics/health-monitor.js";
import type { ApplicationProperties, UndecodedMessage } from "../message/message.js";
import { Receiver, type ReceiverSettings } from "../receiving/receiver.js";
import { fromSessionState, isNoState, stateValue, toBareState, toSessionState } from "./session-state.js";

/** Settings and dependencies of a session receiver. */
export interface SessionReceiverSettings extends ReceiverSettings {
  readonly receiver: TransportSessionReceiver;
  /** Whether session states are written with an envelope. */
  readonly stateEnvelope: boolean;
  /** Renews the locks of several sessions; if undefined, the receiver has its own. */
  readonly sessionRenewal?: LockRenewal | undefined;
}

/** Options of `getSessionState`. */
export interface GetSessionStateOptions extends CallOptions {
  /** The type of a state that was written without one, by other clients; passed to serializers as the message type. Default: none. */
  readonly stateType?: string | undefined;
}

/** Options of `setSessionState`. */
export interface SetSessionStateOptions extends CallOptions {
  /** The state's type; passed to serializers as the message type. Default: none. */
  readonly stateType?: string | undefined;
  /** Chooses one of the configured serializers. Default: the main one. */
  readonly contentType?: string | undefined;
  /** Stored with the state and passed to serializers when it is read; no binary values. Default: none. */
  readonly applicationProperties?: ApplicationProperties | undefined;
}

/**
 * A receiver that holds the lock of one session: it alone receives the session's messages, in order. The lock is renewed until the
 * receiver closes, for `maxAutoLockRenewalDurationInMs` at most; when it is lost, every call rejects with `session-lock-lost`.
 */
export class SessionReceiver<Undecoded extends UndecodedMessage = never> extends Receiver<Undecoded> {
  readonly #settings: SessionReceiverSettings;
  readonly #session: TransportSessionReceiver;
  readonly #lock: SessionLock;
  readonly #renewal: LockRenewal;

  constructor(settings: SessionReceiverSettings, intake?: Intake) {
    const waiting = { keepLock: () => {} };
    super({ ...settings, keepLock: () => waiting.keepLock() }, intake);
    waiting.keepLock = () => this.#renewal.track(this.#lock, settings.renewForMs);
    this.#settings = settings;
    this.#session = settings.receiver;
    this.#lock = new SessionLock(settings.receiver, settings.health);
    this.#renewal = settings.sessionRenewal ?? new LockRenewal(settings.scheduler);
    this.#renewal.track(this.#lock, settings.renewForMs);
  }

  get sessionId(): string {
    return this.#session.sessionId;
  }

  /** When the session's lock expires, as far as this receiver knows. */
  get sessionLockedUntilUtc(): Date {
    return new Date(this.#lock.lockedUntilMs);
  }

  /** Renews the session's lock and resolves with its new expiry. Rejects with `session-lock-lost` if it has expired. */
  renewSessionLock(options?: CallOptions): Promise<Date> {
    return this.#lock.renew(options);
  }

  /**
   * The session's state, or undefined when none is set. It is read like a message body, by the main or an additional serializer; a state
   * written by other clients is read like a body without a content type. Rejects with `deserialization-failed` or `unavailable`; the state
   * is not changed.
   */
  async getSessionState<State = unknown>(options: GetSessionStateOptions = {}): Promise<State | undefined> {
    const bytes = await this.#session.getState(options);
    if (bytes === undefined || isNoState(bytes)) return undefined;
    const message = fromSessionState(bytes, options.stateType, this.entityPath);
    const outcome = await this.#settings.pipeline.deserialize(message, options);
    return stateValue(outcome, this.entityPath) as State;
  }

  /**
   * Writes the session's state with a serializer; undefined and null clear it. Rejects with `serialization-failed`, `message-too-large` or
   * `quota-exceeded`.
   */
  async setSessionState(state: unknown, options: SetSessionStateOptions = {}): Promise<void> {
    if (state === undefined || state === null) return this.#session.setState(undefined, options);
    const { stateType: subject, contentType, applicationProperties, abortSignal } = options;
    const message = { body: state, subject, contentType, applicationProperties };
    const encoded = await this.#settings.pipeline.serialize(message, { abortSignal });
    const bytes = this.#settings.stateEnvelope ? toSessionState(encoded) : toBareState(encoded);
    await this.#session.setState(bytes, options);
  }

  /** The bytes of the session's state on the broker, or undefined when none is set. */
  getRawSessionState(options?: CallOptions): Promise<Uint8Array | undefined> {
    return this.#session.getState(options);
  }

  /** Sets the session's state to these bytes, for consumers without waybill; undefined and null clear it. */
  setRawSessionState(state: Uint8Array | null | undefined, options?: CallOptions): Promise<void> {
    return this.#session.setState(state ?? undefined, options);
  }

  /** Closes its subscriptions, waiting for running handlers, and releases the session for the next receiver. */
  override close(): Promise<void> {
    return super.close().finally(() => this.#renewal.forget(this.#lock));
  }
}

class SessionLock implements RenewableLock {
  readonly #session: TransportSessionReceiver;
  readonly #health: HealthMonitor;
  lockedUntilMs: number;
  plan: RenewalPlan | undefined = undefined;

  constructor(session: TransportSessionReceiver, health: HealthMonitor) {
    this.#session = session;
    this.#health = health;
    this.lockedUntilMs = session.sessionLockedUntilUtc.getTime();
  }

  async renew(options?: CallOptions): Promise<Date> {
    const lockedUntil = await this.#session.renewSessionLock(options);
    this.lockedUntilMs = lockedUntil.getTime();
    return lockedUntil;
  }

  /** The transport reports the error to subscriptions, and other calls reject with it. */
  onRenewalFailed(error: unknown): void {
    if (isLockLost(error)) this.#health.sessionLost(this.#session);
  }
}
