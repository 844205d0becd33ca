import { required } from "@waybill/foundation";
import type { CallOptions, TransportSessionReceiver } from "../contracts/transport.js";
import type { ApplicationProperties, UndecodedMessage } from "../message/message.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import type { ReceiverContext } from "../receive/delivery/receiver-context.js";
import type { SessionLock } from "../receive/delivery/session-lock.js";
import { LoadedReceiver } from "../receive/receiver/loaded-receiver.js";
import { Receiver, type ReceiverOwner } from "../receive/receiver/receiver.js";
import { fromSessionState, isNoState, stateValue, toBareState, toSessionState } from "./session-state.js";

/** The client or the session processor that a session receiver belongs to. */
export interface SessionOwner extends ReceiverOwner {
  /** Whether session states are written with an envelope. */
  readonly stateEnvelope: boolean;
  /** Reads and writes session states: that of the receiver may refuse what has no handler. */
  readonly statePipeline: Pipeline;
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
  readonly #session: TransportSessionReceiver;
  readonly #lock: SessionLock;
  readonly #pipeline: Pipeline;
  readonly #stateEnvelope: boolean;

  constructor(context: ReceiverContext, owner: SessionOwner) {
    super({ ...context, ...owner, load: () => (state) => new LoadedReceiver(context, state) });
    this.#lock = required(context.session, "The lock of a session");
    this.#session = this.#lock.receiver;
    this.#pipeline = owner.statePipeline;
    this.#stateEnvelope = owner.stateEnvelope;
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
    const outcome = await this.#pipeline.deserialize(message, options);
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
    const encoded = await this.#pipeline.serialize(message, { abortSignal });
    const bytes = this.#stateEnvelope ? toSessionState(encoded) : toBareState(encoded);
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
    return super.close().finally(() => this.#lock.forget());
  }
}
