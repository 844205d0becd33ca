import { beaconGuard, WritePlan, withWritePlans } from "@waybill/migration/plan";
import type { Fixture } from "./fixture.js";
import { orderPlaced, orderPlacedAfter, orderPlacedBefore } from "./order-placed.js";
import { after, before, both } from "./pipelines.js";
import { Shop } from "./shop.js";
import { Warehouse } from "./warehouse.js";

// The deployments: each program with its chain.

/** The shop before the migration. */
export function shopBefore(fixture: Fixture): Shop {
  return new Shop(fixture, before, ({ id, cents }) =>
    orderPlacedBefore.message({ id, total: (cents / 100).toFixed(2) }, { messageId: id }),
  );
}

/** The warehouse before the migration. */
export function warehouseBefore(fixture: Fixture): Warehouse {
  return new Warehouse(fixture, before, ({ id, total }: { id: string; total: string }) => ({
    id,
    cents: Math.round(Number(total) * 100),
  }));
}

// #region plan
/** The shop during the migration. Its code uses only version 2; the plan decides what is written, and begins with the old format. */
export function shopWithPlan(fixture: Fixture): { shop: Shop; plan: WritePlan } {
  const { beacons: store, transport } = fixture;
  const plan = new WritePlan(orderPlaced, {
    from: { serializer: "json", version: 1 },
    to: { serializer: "avro", version: 2 },
    guard: beaconGuard({
      store,
      // How many instances run is known to whoever deploys them.
      readers: [{ name: "warehouse", instances: 1 }],
      pipeline: both,
      scheduler: transport.scheduler,
    }),
  });
  const shop = new Shop(fixture, withWritePlans(both, [plan]), ({ id, cents }) =>
    orderPlaced.message({ orderId: id, cents }, { messageId: id }),
  );
  return { shop, plan };
}
// #endregion

/** The warehouse during the migration: its handler gets version 2, whatever arrived. */
export function warehouseWithBoth(fixture: Fixture): Warehouse {
  return new Warehouse(fixture, both, toOrder);
}

/** The shop afterwards: Avro, without a plan. */
export function shopAfter(fixture: Fixture): Shop {
  return new Shop(fixture, after, ({ id, cents }) =>
    orderPlacedAfter.message({ orderId: id, cents }, { messageId: id }),
  );
}

/** The warehouse afterwards, without JSON. */
export function warehouseAfter(fixture: Fixture): Warehouse {
  return new Warehouse(fixture, after, toOrder);
}

function toOrder({ orderId, cents }: { orderId: string; cents: number }) {
  return { id: orderId, cents };
}
