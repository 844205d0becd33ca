import type { CallOptions } from "@waybill/core";
import type { ReaderCapability } from "./reader-capability.js";

/** What one running instance of a reader says of itself. */
export interface CapabilityBeacon {
  /** The reader, as write plans list it: a service, say. */
  readonly reader: string;
  /** The instance, unique among the reader's: a host or process name. */
  readonly instance: string;
  readonly capability: ReaderCapability;
  readonly announcedAt: Date;
  /** After this instant the beacon counts for nothing: the instance has stopped or is out of reach. */
  readonly expiresAt: Date;
}

/**
 * Where beacons lie: a queue (`queueBeaconStore`), or a table of one's own. `announce` replaces what the same instance said before. `list`
 * returns at least every beacon that has not expired; older and expired ones may come too and are passed over.
 */
export interface BeaconStore {
  announce(beacon: CapabilityBeacon, options?: CallOptions): Promise<void>;
  list(options?: CallOptions): Promise<readonly CapabilityBeacon[]>;
}
