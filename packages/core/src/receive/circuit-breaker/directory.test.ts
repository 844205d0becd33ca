import { decodeFailure } from "@waybill/core/serializer";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { createFixture, quiet, until } from "../../../test/fixture.js";
import type { CircuitChange } from "../../contracts/reader-directory.js";

/** A client whose reader can break, and what it tells its directory. */
async function openBreakable(options: object = {}) {
  const changes: CircuitChange[] = [];
  let followers = 0;
  const reader = { isBroken: false };
  const sound = json();
  const fixture = await createFixture({
    client: {
      serializer: {
        ...sound,
        deserialize(bytes, context) {
          if (reader.isBroken) throw decodeFailure("schema-unknown", "It does not fit.");
          return sound.deserialize(bytes, context);
        },
      },
      readBack: false,
      readerDirectory: {
        readersOf: async () => [],
        followCircuits() {
          followers++;
          return (change: CircuitChange) => void changes.push(change);
        },
      },
      ...options,
    },
  });
  return { fixture, reader, changes, followers: () => followers };
}

describe("a client with a reader directory", () => {
  it("tells it when a circuit opens and closes", async () => {
    const { fixture, reader, changes, followers } = await openBreakable();
    await using _ = fixture;
    expect(followers()).toBe(1);
    const sender = fixture.client.createSender("orders");
    let seen = 0;
    const processMessage = () => void seen++;
    fixture.client.createReceiver("orders").subscribe({ processMessage, processError: () => {} });
    await sender.sendMessages({ subject: "order", body: 0 });
    await until(() => seen === 1);
    reader.isBroken = true;
    await sender.sendMessages(Array.from({ length: 12 }, (_, body) => ({ subject: "order", body })));
    await until(() => changes.length > 0);
    expect(changes[0]).toMatchObject({
      entityPath: "orders",
      messageType: "order",
      format: "json",
      state: "open",
    });
    reader.isBroken = false;
    // Held messages are read again in intervals.
    for (let turn = 0; turn < 50 && changes.at(-1)?.state !== "closed"; turn++) {
      fixture.clock.advance(30_000);
      await quiet();
    }
    expect(changes.at(-1)).toMatchObject({ entityPath: "orders", state: "closed" });
  });

  it("tells it nothing without circuit breakers: nobody takes that for closed ones", async () => {
    const { fixture, followers } = await openBreakable({ circuitBreaker: false });
    await using _ = fixture;
    expect(followers()).toBe(0);
  });
});
