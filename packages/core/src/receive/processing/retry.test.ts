import {
  firstMessageIdProperty,
  type ReceivedMessage,
  type RetryOptions,
  retryCountProperty,
} from "@waybill/core";
import { describe, expect, it } from "vitest";
import { createFixture, type Fixture, quiet, until } from "../../../test/fixture.js";

const retry = { delayInMs: 60_000 };

describe("retry", () => {
  it("works with duplicate detection, although its copies are within the window", async () => {
    await using fixture = await createFixture({ queue: { requiresDuplicateDetection: true } });
    const ids = failing(fixture);
    await fixture.client.createSender("orders").sendMessages({ messageId: "a", body: 1 });
    for (let i = 1; i <= 3; i++) {
      await until(() => ids.length === i);
      await quiet();
      fixture.clock.advance(59_999);
      await quiet();
      expect(ids).toHaveLength(i);
      fixture.clock.advance(1);
    }
    await until(() => ids.length === 4);
    expect(ids[0]).toBe("a");
    expect(new Set(ids).size).toBe(4);
  });

  it("keeps bytes and properties, and when the message expires", async () => {
    await using fixture = await createFixture();
    const expiries: unknown[] = [];
    failing(fixture, retry, ({ expiresAtUtc }) => expiries.push(expiresAtUtc));
    const sent = {
      body: { n: 1 },
      messageId: "a",
      subject: "order",
      correlationId: "c",
      timeToLive: 3_600_000,
      applicationProperties: { shop: "north" },
    };
    await fixture.client.createSender("orders").sendMessages(sent);
    await quiet();
    const [copy] = await fixture.client.createReceiver("orders").peekMessages(1);
    expect(copy).toMatchObject({
      rawBody: new TextEncoder().encode('{"n":1}'),
      subject: "order",
      correlationId: "c",
      contentType: "application/json",
      state: "scheduled",
      applicationProperties: { shop: "north", [retryCountProperty]: 1, [firstMessageIdProperty]: "a" },
    });
    fixture.clock.advance(60_000);
    await until(() => expiries.length === 2);
    expect(expiries[1]).toEqual(expiries[0]);
  });

  it("abandons if the copy cannot be scheduled, and reports it", async () => {
    await using fixture = await createFixture({ queue: { maxDeliveryCount: 2 } });
    const sources: string[] = [];
    let calls = 0;
    fixture.client.createReceiver("orders").subscribe(
      {
        processMessage() {
          calls++;
          // The next operation is the scheduling.
          fixture.broker.faults.throttle("orders", 1);
          throw new Error("failed");
        },
        processError: ({ errorSource }) => void sources.push(errorSource),
      },
      { retry },
    );
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    await until(() => calls === 2);
    expect(sources.slice(0, 2)).toEqual(["processMessageCallback", "retry"]);
  });

  it("ignores an invalid count from the wire", async () => {
    await using fixture = await createFixture();
    const ids = failing(fixture, { ...retry, maxRetries: 1 });
    const forged = { [retryCountProperty]: "many" };
    await fixture.client.createSender("orders").sendMessages({ body: 1, applicationProperties: forged });
    await until(() => ids.length === 1);
    await quiet();
    const [copy] = await fixture.client.createReceiver("orders").peekMessages(1);
    expect(copy!.applicationProperties[retryCountProperty]).toBe(1);
  });

  it("is refused if a copy would not be the same", async () => {
    await using fixture = await createFixture();
    await fixture.broker.createQueue("carts", { requiresSession: true });
    const handlers = { processMessage() {}, processError() {} };
    const receivers = [
      fixture.client.createReceiver("news", "all"),
      fixture.client.createReceiver("orders", { subQueueType: "deadLetter" }),
      fixture.client.createReceiver("orders", { receiveMode: "receiveAndDelete" }),
      await fixture.client.acceptSession("carts", "ada"),
    ];
    for (const receiver of receivers) {
      expect(() => receiver.subscribe(handlers, { retry })).toThrow("configuration-invalid");
    }
  });

  it.each([
    [{ delayInMs: -1 }, "retry.delayInMs must be a number of milliseconds"],
    [{ delayInMs: 1, maxRetries: 0.5 }, "retry.maxRetries must be an integer of 0 or more"],
  ])("refuses %o", async (options, text) => {
    await using fixture = await createFixture();
    const handlers = { processMessage() {}, processError() {} };
    expect(() => fixture.client.createReceiver("orders").subscribe(handlers, { retry: options })).toThrow(
      text,
    );
  });
});

function failing(
  fixture: Fixture,
  options: RetryOptions = retry,
  look: (message: ReceivedMessage) => void = () => {},
) {
  const ids: unknown[] = [];
  fixture.client.createReceiver("orders").subscribe(
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
