import {
  firstMessageIdProperty,
  type ReceivedMessage,
  type RetryOptions,
  retryCountProperty,
} from "@waybill/core";
import { describe, expect, it } from "vitest";
import { createWorld, quiet, until, type World } from "../test/world.js";

const retry = { delayInMs: 60_000 };

describe("retry", () => {
  it("survives duplicate detection, whose window its copies would fall into", async () => {
    await using world = await createWorld({ queue: { requiresDuplicateDetection: true } });
    const ids = failing(world);
    await world.client.createSender("orders").sendMessages({ messageId: "a", body: 1 });
    for (let i = 1; i <= 3; i += 1) {
      await until(() => ids.length === i);
      await quiet();
      world.clock.advance(59_999);
      await quiet();
      expect(ids).toHaveLength(i);
      world.clock.advance(1);
    }
    await until(() => ids.length === 4);
    expect(ids[0]).toBe("a");
    expect(new Set(ids).size).toBe(4);
  });

  it("keeps bytes and properties, and when the message expires", async () => {
    await using world = await createWorld();
    const expiries: unknown[] = [];
    failing(world, retry, ({ expiresAtUtc }) => expiries.push(expiresAtUtc));
    const sent = {
      body: { n: 1 },
      messageId: "a",
      subject: "order",
      correlationId: "c",
      timeToLive: 3_600_000,
      applicationProperties: { shop: "north" },
    };
    await world.client.createSender("orders").sendMessages(sent);
    await quiet();
    const [copy] = await world.client.createReceiver("orders").peekMessages(1);
    expect(copy).toMatchObject({
      body: { n: 1 },
      subject: "order",
      correlationId: "c",
      contentType: "application/json",
      state: "scheduled",
      applicationProperties: { shop: "north", [retryCountProperty]: 1, [firstMessageIdProperty]: "a" },
    });
    world.clock.advance(60_000);
    await until(() => expiries.length === 2);
    expect(expiries[1]).toEqual(expiries[0]);
  });

  it("abandons where the copy cannot be scheduled, and says so", async () => {
    await using world = await createWorld({ queue: { maxDeliveryCount: 2 } });
    const sources: string[] = [];
    let calls = 0;
    world.client.createReceiver("orders").subscribe(
      {
        processMessage() {
          calls += 1;
          // The next operation is the scheduling.
          world.broker.faults.throttle("orders", 1);
          throw new Error("failed");
        },
        processError: ({ errorSource }) => void sources.push(errorSource),
      },
      { retry },
    );
    await world.client.createSender("orders").sendMessages({ body: 1 });
    await until(() => calls === 2);
    expect(sources.slice(0, 2)).toEqual(["processMessageCallback", "retry"]);
  });

  it("counts nothing that the wire made up", async () => {
    await using world = await createWorld();
    const ids = failing(world, { ...retry, maxRetries: 1 });
    const forged = { [retryCountProperty]: "many" };
    await world.client.createSender("orders").sendMessages({ body: 1, applicationProperties: forged });
    await until(() => ids.length === 1);
    await quiet();
    const [copy] = await world.client.createReceiver("orders").peekMessages(1);
    expect(copy!.applicationProperties[retryCountProperty]).toBe(1);
  });

  it("is refused where a copy would not be the same", async () => {
    await using world = await createWorld();
    await world.broker.createQueue("carts", { requiresSession: true });
    const handlers = { processMessage() {}, processError() {} };
    const receivers = [
      world.client.createReceiver("news", "all"),
      world.client.createReceiver("orders", { subQueueType: "deadLetter" }),
      world.client.createReceiver("orders", { receiveMode: "receiveAndDelete" }),
      await world.client.acceptSession("carts", "ada"),
    ];
    for (const receiver of receivers) {
      expect(() => receiver.subscribe(handlers, { retry })).toThrow("configuration-invalid");
    }
  });

  it.each([
    [{ delayInMs: -1 }, "retry.delayInMs must be a number of milliseconds"],
    [{ delayInMs: 1, maxRetries: 0.5 }, "retry.maxRetries must be an integer of 0 or more"],
  ])("refuses %o", async (options, text) => {
    await using world = await createWorld();
    const handlers = { processMessage() {}, processError() {} };
    expect(() => world.client.createReceiver("orders").subscribe(handlers, { retry: options })).toThrow(text);
  });
});

function failing(
  world: World,
  options: RetryOptions = retry,
  look: (message: ReceivedMessage) => void = () => {},
) {
  const ids: unknown[] = [];
  world.client.createReceiver("orders").subscribe(
    {
      processMessage(message) {
        ids.push(message.messageId);
        look(message);
        throw new Error("failed");
      },
      processError() {},
    },
    { retry: options },
  );
  return ids;
}
