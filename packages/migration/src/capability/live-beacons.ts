import type { CallOptions } from "@waybill/core/transport";
import type { BeaconStore, CapabilityBeacon } from "./beacon-store.js";

/** By which clock beacons expire. */
export interface BeaconClock {
  /** The time now, in ms. */
  readonly nowMs: number;
  /** Maximum difference between the clocks of readers, store and this program, in ms. Default: ten minutes. */
  readonly clockToleranceInMs?: number | undefined;
}

/** The newest beacon of each instance. */
export interface LiveBeacons {
  /** Of instances that may still run. */
  readonly counting: readonly CapabilityBeacon[];
  /** Of those that have certainly not expired. In doubt a beacon can object, but does not prove that its reader is there. */
  readonly present: readonly CapabilityBeacon[];
}

/** The default of `clockToleranceInMs`. */
export const defaultClockToleranceMs = 600_000;

/** Reads the beacons of a store, without replaced, expired and withdrawn ones. Rejects as the store does. */
export async function liveBeacons(
  store: BeaconStore,
  { nowMs, clockToleranceInMs = defaultClockToleranceMs }: BeaconClock,
  call?: CallOptions,
): Promise<LiveBeacons> {
  const { expiresBeacons = false } = store;
  const earliestMs = nowMs - clockToleranceInMs;
  const endsAfter = (ms: number) => (beacon: CapabilityBeacon) => beacon.expiresAt.getTime() > ms;
  const listed = await store.list(call);
  const counting = newest(expiresBeacons ? listed : listed.filter(endsAfter(earliestMs))).filter(
    ({ isWithdrawn }) => isWithdrawn !== true,
  );
  return { counting, present: counting.filter(endsAfter(expiresBeacons ? earliestMs : nowMs)) };
}

function newest(beacons: readonly CapabilityBeacon[]): readonly CapabilityBeacon[] {
  const byInstance = new Map<string, CapabilityBeacon>();
  for (const beacon of beacons) {
    const key = JSON.stringify([beacon.reader, beacon.instance]);
    const other = byInstance.get(key);
    if (other === undefined || other.announcedAt.getTime() <= beacon.announcedAt.getTime()) {
      byInstance.set(key, beacon);
    }
  }
  return [...byInstance.values()];
}
