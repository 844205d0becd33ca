import type { Message, Serializer } from "@waybill/core";
import { encodeFailure } from "@waybill/core/serializer";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { createFixture, custom } from "../../test/fixture.js";

describe("sendMessages", () => {
  it("sends one message or several, and the receiver gets their values", async () => {
    await using fixture = await createFixture();
    const sender = fixture.client.createSender("orders");
    await sender.sendMessages({ body: { n: 1 }, messageId: "a", subject: "order" });
    await sender.sendMessages([{ body: { n: 2 } }, { body: { n: 3 } }]);
    const messages = await fixture.client.createReceiver("orders").receiveMessages<{ n: number }>(9);
    expect(messages.map(({ body }) => body.n)).toEqual([1, 2, 3]);
    expect(messages[0]).toMatchObject({ messageId: "a", subject: "order", contentType: "application/json" });
  });

  it("sends none if one cannot be written, and names it", async () => {
    await using fixture = await createFixture({ client: { serializer: picky } });
    const sending = fixture.client
      .createSender("orders")
      .sendMessages([{ body: {} }, { body: { isBad: true }, messageId: "b" }, { body: {} }]);
    await expect(sending).rejects.toMatchObject({
      code: "serialization-failed",
      entityPath: "orders",
      messageId: "b",
      message: expect.stringContaining("Message 2 of 3 cannot be sent, so nothing was."),
    });
    expect(await fixture.client.createReceiver("orders").peekMessages(9)).toEqual([]);
  });

  it("also sends none if one is refused while another is still being written", async () => {
    const slow: Serializer = {
      ...json(),
      serialize: async () => Promise.reject(encodeFailure("malformed", "No.")),
    };
    await using fixture = await createFixture({ client: { serializer: slow } });
    const sending = fixture.client
      .createSender("orders")
      .sendMessages([{ body: 1 }, { body: 2, messageId: "b", timeToLive: -1 }]);
    await expect(sending).rejects.toMatchObject({ code: "operation-invalid", messageId: "b" });
  });

  it("sends none if one has a property outside its limits", async () => {
    await using fixture = await createFixture();
    const sender = fixture.client.createSender("orders");
    const messages: Message[] = [{ body: 1 }, { body: 2, messageId: "x".repeat(129) }];
    await expect(sender.sendMessages(messages)).rejects.toMatchObject({ code: "operation-invalid" });
    expect(await fixture.client.createReceiver("orders").peekMessages(9)).toEqual([]);
  });

  it("sends nothing for an empty array", async () => {
    await using fixture = await createFixture();
    const sender = fixture.client.createSender("orders");
    await sender.sendMessages([]);
    await sender.sendEncodedMessages([]);
    expect(await sender.scheduleMessages([], new Date())).toEqual([]);
    await sender.cancelScheduledMessages([]);
  });

  it("rejects with aborted when its signal aborts while a serializer is asked, and sends nothing", async () => {
    await using fixture = await createFixture({ client: { serializer: pending } });
    const abort = new AbortController();
    const sending = fixture.client
      .createSender("orders")
      .sendMessages({ body: 1, messageId: "a" }, { abortSignal: abort.signal });
    abort.abort();
    await expect(sending).rejects.toMatchObject({ code: "aborted", messageId: "a", format: "json" });
    expect(await fixture.client.createReceiver("orders").peekMessages(9)).toEqual([]);
  });

  it("rejects with unavailable when a serializer does not answer in time", async () => {
    await using fixture = await createFixture({ client: { serializer: pending, attemptTimeoutInMs: 5 } });
    const sending = fixture.client.createSender("orders").sendMessages({ body: 1, messageId: "a" });
    await expect(sending).rejects.toMatchObject({
      code: "unavailable",
      messageId: "a",
      message: expect.stringContaining("The serializer did not answer within 5 ms."),
    });
  });

  it("rejects with aborted and sends nothing when its signal has aborted", async () => {
    await using fixture = await createFixture();
    const abortSignal = AbortSignal.abort();
    const sending = fixture.client.createSender("orders").sendMessages({ body: 1 }, { abortSignal });
    await expect(sending).rejects.toMatchObject({ code: "aborted" });
    expect(await fixture.client.createReceiver("orders").peekMessages(9)).toEqual([]);
  });
});

describe("sendEncodedMessages", () => {
  it("sends bodies unchanged", async () => {
    await using fixture = await createFixture({ client: { additionalDeserializers: [] } });
    await fixture.client.createSender("orders").sendEncodedMessages(custom("a", "raw"));
    const [peeked] = await fixture.client.createReceiver("orders").peekMessages(1);
    expect(peeked!.rawBody).toEqual(new TextEncoder().encode("raw"));
    expect(peeked!.contentType).toBe("application/x-custom");
  });

  it("refuses a body that is a value", async () => {
    await using fixture = await createFixture();
    const sending = fixture.client.createSender("orders").sendEncodedMessages({ body: { n: 1 } } as never);
    await expect(sending).rejects.toThrow(TypeError);
  });
});

describe("scheduleMessages", () => {
  it("makes messages visible at their scheduled time", async () => {
    await using fixture = await createFixture();
    const sender = fixture.client.createSender("orders");
    const receiver = fixture.client.createReceiver("orders");
    const at = new Date(fixture.clock.now() + 5_000);
    const numbers = await sender.scheduleMessages([{ body: 1 }, { body: 2 }], at);
    expect(numbers).toHaveLength(2);
    expect(await receiver.receiveMessages(9, { maxWaitTimeInMs: 0 })).toEqual([]);
    fixture.clock.advance(5_000);
    expect((await receiver.receiveMessages(9)).map(({ body }) => body)).toEqual([1, 2]);
  });

  it("can be cancelled by sequence number until then", async () => {
    await using fixture = await createFixture();
    const sender = fixture.client.createSender("orders");
    const [first, second] = await sender.scheduleMessages(
      [{ body: 1 }, { body: 2 }],
      new Date(fixture.clock.now() + 5_000),
    );
    await sender.cancelScheduledMessages(first!);
    fixture.clock.advance(5_000);
    const [message] = await fixture.client.createReceiver("orders").receiveMessages(9);
    expect(message!.body).toBe(2);
    await expect(sender.cancelScheduledMessages([second!])).rejects.toMatchObject({
      code: "message-not-found",
    });
  });

  it("refuses an invalid date", async () => {
    await using fixture = await createFixture();
    const sender = fixture.client.createSender("orders");
    await expect(sender.scheduleMessages({ body: 1 }, new Date(Number.NaN))).rejects.toThrow(TypeError);
  });
});

describe("a closed sender", () => {
  it("rejects every call, and can be closed twice", async () => {
    await using fixture = await createFixture();
    const sender = fixture.client.createSender("orders");
    await sender.close();
    await sender.close();
    expect(sender.isClosed).toBe(true);
    await expect(sender.sendMessages({ body: 1 })).rejects.toMatchObject({ code: "closed" });
  });
});

const tolerant = json();

/** Waits for a registry that never answers. */
const pending: Serializer = { ...tolerant, serialize: () => new Promise(() => {}) };

/** Refuses one kind of value, like a schema. */
const picky: Serializer = {
  ...tolerant,
  serialize(value, context) {
    if ((value as { isBad?: boolean }).isBad) throw encodeFailure("/isBad: is forbidden");
    return tolerant.serialize(value, context);
  },
};
