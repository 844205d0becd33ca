import type { Transport } from "@waybill/core";
import type { TransportCapability } from "@waybill/core/transport";

/** The transport under test, with what the suite must know about it. */
export interface TransportSubject {
  /** Opens the transport on a broker, or a part of one, that no other case uses. Called for every case. */
  create(): Promise<TransportFixture>;
  /** The capabilities of the transport. Operations of missing ones must reject with `not-supported`. */
  readonly capabilities: Iterable<TransportCapability>;
  /**
   * The lock duration of the cases' entities, in milliseconds; default 5000, the minimum of Service Bus. Environments with
   * a real clock wait for it.
   */
  readonly lockDurationMs?: number;
  /** The size in bytes at which messages are too large; default 256 KiB, the limit of the Standard tier. */
  readonly maxMessageBytes?: number;
  /** How long an effect that does not depend on the broker's time may take, in real milliseconds, also on a busy machine; default 60,000. */
  readonly patienceMs?: number;
}

/** A broker with a transport, and functions for entities and time. Disposing it closes and removes both. */
export interface TransportFixture extends AsyncDisposable {
  readonly transport: Transport;
  /** Creates an empty queue and resolves with its name. */
  createQueue(setting: EntitySetting): Promise<string>;
  /** Creates a topic with the named subscriptions, each with the default rule, and resolves with its name. */
  createTopic(subscriptions: readonly string[], setting: EntitySetting): Promise<string>;
  /** Advances a manual clock, or waits for a real one. Resolves when everything due has happened. */
  advance(durationMs: number): Promise<void>;
  /** The broker's time. */
  now(): Date;
}

/** The properties of a queue, or of a topic's subscriptions. */
export interface EntitySetting {
  /** In milliseconds. */
  readonly lockDurationMs: number;
  readonly maxDeliveryCount: number;
  readonly requiresSession: boolean;
  /** The queue of the same fixture to forward messages to. */
  readonly forwardTo?: string;
  /** The queue of the same fixture to forward dead-lettered messages to. */
  readonly forwardDeadLetteredMessagesTo?: string;
}
