import { announceReader, queueBeaconStore } from "@waybill/migration/plan";
import { expect, it } from "vitest";
import { openExplorer, pipeline } from "./fixture.test-support.js";

it("tells of each entity which circuits its running readers hold open, and nothing where none announces them", async () => {
  await using served = await openExplorer();
  const { broker, transport, clock } = served;
  await broker.createQueue("capabilities");
  await using beacons = queueBeaconStore(transport, "capabilities");
  await using fixture = await openExplorer({ transport, beacons });
  const breakers = async () => (await fixture.get("/api/breakers")).json<unknown[]>();
  const scheduler = transport.scheduler;
  const announce = (reader: string, entities: string[]) =>
    announceReader(beacons, pipeline, { reader, instance: "1", entities, scheduler });
  await using billing = await announce("billing", ["Orders", "invoices"]);
  await using audit = await announce("audit", ["orders"]);
  await using _silent = await announce("silent", ["others"]);
  expect(await breakers()).toEqual([]);
  const note = billing.followCircuits?.();
  audit.followCircuits?.();
  clock.advance(1_000);
  await expect.poll(async () => (await breakers()).length).toBe(2);
  const since = new Date(clock.now()).toISOString();
  note?.({ entityPath: "orders", messageType: "order-placed", format: "json", state: "open" });
  clock.advance(1_000);
  const open = [{ reader: "billing", instance: "1", messageType: "order-placed", format: "json", since }];
  await expect.poll(async () => JSON.stringify(await breakers())).toContain("order-placed");
  expect(await breakers()).toEqual(
    expect.arrayContaining([
      { path: "Orders", instances: 2, open },
      { path: "invoices", instances: 1, open: [] },
    ]),
  );
  expect((await fixture.get("/api/about")).json()).toMatchObject({ hasBeacons: true });
  expect((await served.get("/api/about")).json()).toMatchObject({ hasBeacons: false });
  expect((await served.get("/api/breakers")).json()).toEqual([]);
});
