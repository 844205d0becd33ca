import type { CallOptions, TransportSessionReceiver } from "../contracts/transport.js";
import { isLockLost } from "../delivery/delivery.js";
import type { Intake } from "../delivery/intake.js";
import { LockRenewal, type RenewableLock, type RenewalPlan } from "../delivery/lock-renewal.js";
import type { HealthMonitor } from "../diagnostics/health-monitor.js";
import type { ApplicationProperties, UndecodedMessage } from "../message/message.js";
import { Receiver, type ReceiverSettings } from "../receiving/receiver.js";
import { fromSessionState, isNoState, stateValue, toBareState, toSessionState } from "./session-state.js";

/** What a session receiver works with. */
export interface SessionReceiverSettings extends ReceiverSettings {
  readonly receiver: TransportSessionReceiver;
  /** Whether states are written in an envelope. */
  readonly stateEnvelope: boolean;
  /** Renews the locks of several sessions; without one the receiver has its own. */
  readonly sessionRenewal?: LockRenewal | undefined;
}

/** How a session's state is read. */
export interface GetSessionStateOptions extends CallOptions {
  /** The type of a state that does not say its own, because others wrote it: serializers get it as the message type. */
  readonly stateType?: string | undefined;
}

/** How a session's state is written. */
export interface SetSessionStateOptions extends CallOptions {
  /** The state's type: serializers get it as the message type, as they do the `subject` of a message. */
  readonly stateType?: string | undefined;
  /** Chooses among the configured serializers. Default: the main one. */
  readonly contentType?: string | undefined;
  /** Kept with the state and handed to serializers when it is read; no binary values. */
  readonly applicationProperties?: ApplicationProperties | undefined;
}

/**
 * A receiver that holds the lock of one session: it gets the session's messages in order, and nobody else does. The lock is renewed
 * until the receiver closes, for `maxAutoLockRenewalDurationInMs` at most; when it is lost, every call rejects with `session-lock-lost`.
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

  /** Until when the session's lock holds, as far as this receiver knows. */
  get sessionLockedUntilUtc(): Date {
    return new Date(this.#lock.lockedUntilMs);
  }

  /** Extends the session's lock and resolves with its new end. Rejects with `session-lock-lost` if it ran out. */
  renewSessionLock(options?: CallOptions): Promise<Date> {
    return this.#lock.renew(options);
  }

  /**
   * The session's state, or undefined when none is set. It is read as a message's body is, by the serializer that wrote it or an additional
   * one; a state that others wrote, as a body without a content type. Rejects with `deserialization-failed` or `unavailable`; the
   * state stays as it is.
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

  /** The bytes of the session's state as the broker keeps them, or undefined when none is set. */
  getRawSessionState(options?: CallOptions): Promise<Uint8Array | undefined> {
    return this.#session.getState(options);
  }

  /** Sets the bytes of the session's state untouched, for consumers that do not use waybill; undefined and null clear it. */
  setRawSessionState(state: Uint8Array | null | undefined, options?: CallOptions): Promise<void> {
    return this.#session.setState(state ?? undefined, options);
  }

  /** Closes its subscriptions, waiting for the handlers that run, and frees the session for the next receiver. */
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

  /** The transport notifies subscriptions of it, and every other call by its rejection. */
  onRenewalFailed(error: unknown): void {
    if (isLockLost(error)) this.#health.sessionLost(this.#session);
  }
}
