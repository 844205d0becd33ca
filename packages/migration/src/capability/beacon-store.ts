import type { CallOptions } from "@waybill/core/transport";
import type { ReaderCapability } from "./reader-capability.js";

/** What one running instance of a reader says of itself. */
export interface CapabilityBeacon {
  /** The reader, as write plans list it: a service, say. */
  readonly reader: string;
  /** The instance, unique among the reader's: a host or process name. */
  readonly instance: string;
  /** The formats and versions that the instance can read. */
  readonly capability: ReaderCapability;
  /** By the store's clock where it has one, as a queue's broker does, else by the reader's. */
  readonly announcedAt: Date;
  /** After this instant, by the same clock, the beacon counts for nothing: the instance has stopped or is out of reach. */
  readonly expiresAt: Date;
}

/**
 * Where beacons lie: a queue (`queueBeaconStore`), or a table of one's own. `announce` replaces what the same instance said before. `list`
 * returns at least every beacon that has not expired, and rejects where it cannot; older and expired ones may come too and are passed over.
 */
export interface BeaconStore {
  /** Whether `list` leaves out what has expired by the store's own clock, so that nobody else's clock matters. Default: false. */
  readonly expiresBeacons?: boolean | undefined;
  announce(beacon: CapabilityBeacon, options?: CallOptions): Promise<void>;
  list(options?: CallOptions): Promise<readonly CapabilityBeacon[]>;
}
