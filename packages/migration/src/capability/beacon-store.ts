import type { CallOptions } from "@waybill/core/transport";
import type { ReaderCapability } from "./reader-capability.js";

/** What one running instance of a reader announces. */
export interface CapabilityBeacon {
  /** The reader's name, as write plans list it, for example a service. */
  readonly reader: string;
  /** Unique among the reader's instances: a host or process name. */
  readonly instance: string;
  /** The formats and versions that the instance can read. */
  readonly capability: ReaderCapability;
  /** The paths of the queues and subscriptions that it receives from, as `entityPathOf` writes them. */
  readonly entities: readonly string[];
  /** The circuits of its circuit breakers that are open now; absent if it cannot know. */
  readonly circuits?: readonly OpenCircuit[] | undefined;
  /** Set when the instance has stopped: it replaces the instance's earlier beacon and counts as none. */
  readonly isWithdrawn?: boolean | undefined;
  /** By the store's clock if it has one, such as the broker's for a queue, else by the reader's. */
  readonly announcedAt: Date;
  /** When the beacon becomes invalid, by the same clock: the instance has stopped or cannot reach the store. */
  readonly expiresAt: Date;
}

/** A circuit that is open: undeserializable messages of its type and format are held, not dead-lettered. */
export interface OpenCircuit {
  /** The path of the queue or subscription. */
  readonly entity: string;
  readonly messageType?: string | undefined;
  readonly format?: string | undefined;
  /** When it opened, in ISO 8601, by the reader's clock. */
  readonly since: string;
}

/**
 * Where beacons are kept: a queue (`queueBeaconStore`), or a table of your own. `announce` replaces the earlier beacon of the same instance.
 * `list` returns at least every beacon that has not expired, and rejects if it cannot; replaced, expired and withdrawn ones in its result are
 * ignored.
 */
export interface BeaconStore {
  /** Whether `list` leaves out beacons that expired by the store's own clock, so that no other clock matters. Default: false. */
  readonly expiresBeacons?: boolean | undefined;
  announce(beacon: CapabilityBeacon, options?: CallOptions): Promise<void>;
  list(options?: CallOptions): Promise<readonly CapabilityBeacon[]>;
}
