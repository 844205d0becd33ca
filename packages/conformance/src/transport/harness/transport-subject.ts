import type { Transport } from "@waybill/core";
import type { TransportCapability } from "@waybill/core/transport";

/** What the transport suite knows of the transport under test. */
export interface TransportSubject {
  /** Opens the transport on a broker, or a part of one, that no other case sees. Every case makes its own. */
  create(): Promise<TransportFixture>;
  /** What the transport can do. What is missing here must reject with `not-supported`. */
  readonly capabilities: Iterable<TransportCapability>;
  /**
   * The lock duration that the cases give their entities, in milliseconds; default 5000, the shortest that Service Bus allows. Environments with
   * a real clock wait for it.
   */
  readonly lockDurationMs?: number;
  /** The size in bytes that no message may have; default 256 KiB, the limit of the standard tier. */
  readonly maxMessageBytes?: number;
  /** How long an effect that needs no passing of the broker's time may take in real milliseconds; default 5000. */
  readonly patienceMs?: number;
}

/** A broker with a transport, and what a case needs besides: entities and time. Disposing it closes and removes both. */
export interface TransportFixture extends AsyncDisposable {
  readonly transport: Transport;
  /** Creates an empty queue and resolves with its name. */
  createQueue(setting: EntitySetting): Promise<string>;
  /** Creates a topic with the named subscriptions, each with the rule that lets everything pass, and resolves with its name. */
  createTopic(subscriptions: readonly string[], setting: EntitySetting): Promise<string>;
  /** Lets time pass: a manual clock advances, a real one is waited for. Resolves when what was due has happened. */
  advance(durationMs: number): Promise<void>;
  /** The broker's time. */
  now(): Date;
}

/** How a queue, or a topic's subscriptions, are to be made. */
export interface EntitySetting {
  readonly lockDurationMs: number;
  readonly maxDeliveryCount: number;
  readonly requiresSession: boolean;
  /** The queue of the same fixture to which a queue passes its messages on. */
  readonly forwardTo?: string;
  /** The queue of the same fixture to which a queue passes its dead-lettered messages on. */
  readonly forwardDeadLetteredMessagesTo?: string;
}
