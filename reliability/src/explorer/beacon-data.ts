import type { BeaconStore, CapabilityBeacon } from "@waybill/migration/plan";

/** Two running instances, of which one holds a circuit open, and one that announces no circuits. */
export function demoBeacons(): BeaconStore {
  const announcedAt = new Date();
  const common = {
    capability: { mediaTypes: [], messageTypes: [] },
    announcedAt,
    expiresAt: new Date(announcedAt.getTime() + 86_400_000),
  };
  const since = new Date(announcedAt.getTime() - 7_200_000).toISOString();
  const open = { entity: "orders", messageType: "order-placed", format: "json", since };
  const beacons: readonly CapabilityBeacon[] = [
    {
      ...common,
      reader: "billing",
      instance: "billing-1",
      entities: ["orders", "invoices"],
      circuits: [open],
    },
    { ...common, reader: "billing", instance: "billing-2", entities: ["orders", "invoices"], circuits: [] },
    { ...common, reader: "older", instance: "older-1", entities: ["later"] },
  ];
  return { announce: async () => {}, list: async () => beacons };
}
