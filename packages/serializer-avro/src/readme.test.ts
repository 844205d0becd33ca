import { expect, it } from "vitest";
import { avro } from "./avro-serializer.js";
import { contextOf, read, roundTrip } from "./messages.test-support.js";
import { orderV1, serializer } from "./readme.test-support.js";

it("reads the old and the new order of the README", async () => {
  const setting = { messageType: "order.placed" };
  const order = { id: "A-1042", placedAt: new Date("2026-11-05T12:34:56.789Z") };
  expect(roundTrip(serializer, order, setting)).toEqual(order);
  const old = await avro({ schema: orderV1 }).serialize({ id: "A-1041" }, contextOf());
  expect(read(serializer, old.bytes, setting)).toEqual({ id: "A-1041", placedAt: null });
  expect(roundTrip(serializer, { id: "A-1042" }, { messageType: "order.cancelled" })).toEqual({
    id: "A-1042",
  });
});
