import { WaybillError } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { createFixture } from "../../test/fixture.js";

const large = "x".repeat(450_000);

describe("sendMessages with more than fits into one batch", () => {
  it("reports which messages were sent, failed or were not tried", async () => {
    await using fixture = await createFixture({ queue: { maxSizeInMegabytes: 1 } });
    const sender = fixture.client.createSender("orders");
    const messages = ["a", "b", "c", "d", "e"].map((messageId) => ({ messageId, body: large }));
    const error = await sender.sendMessages(messages).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WaybillError);
    expect(error).toMatchObject({
      code: "partially-sent",
      entityPath: "orders",
      retryable: false,
      cause: { code: "quota-exceeded" },
      sendResults: [
        { status: "sent", messageId: "a" },
        { status: "sent", messageId: "b" },
        { status: "failed", messageId: "c", error: { code: "quota-exceeded" } },
        { status: "failed", messageId: "d" },
        { status: "unsent", messageId: "e" },
      ],
    });
    expect((error as WaybillError).text).toContain(
      "Of 5 messages 2 were sent, 2 failed and 1 were not tried.",
    );
    const peeked = await fixture.client.createReceiver("orders").peekMessages(9);
    expect(peeked.map(({ messageId }) => messageId)).toEqual(["a", "b"]);
  });

  it("fails like a single batch if nothing was sent", async () => {
    await using fixture = await createFixture();
    fixture.broker.faults.fill("orders");
    const sending = fixture.client
      .createSender("orders")
      .sendMessages([{ body: large }, { body: large }, { body: large }]);
    await expect(sending).rejects.toMatchObject({ code: "quota-exceeded", sendResults: undefined });
  });

  it("can be aborted between two batches", async () => {
    await using fixture = await createFixture();
    const giving = new AbortController();
    const diagnostics = { onEvent: () => giving.abort() };
    const client = fixture.clientWith({ diagnostics });
    const messages = [1, 2, 3, 4].map(() => ({ body: large }));
    const error = await client
      .createSender("orders")
      .sendMessages(messages, { abortSignal: giving.signal })
      .catch((reason: unknown) => reason as WaybillError);
    expect(error).toMatchObject({ code: "partially-sent", cause: { code: "aborted" } });
    expect((error as WaybillError).sendResults!.map(({ status }) => status)).toEqual([
      "sent",
      "sent",
      "failed",
      "failed",
    ]);
  });
});

describe("a single message that is too large", () => {
  it("is refused with its id, its size and the limit", async () => {
    await using fixture = await createFixture();
    const sending = fixture.client
      .createSender("orders")
      .sendMessages({ messageId: "a", body: "x".repeat(1_100_000) });
    await expect(sending).rejects.toMatchObject({
      code: "message-too-large",
      messageId: "a",
      entityPath: "orders",
      message: expect.stringMatching(/1100\d{3} bytes.* 1048576/),
    });
  });
});

describe("createMessageBatch", () => {
  it("refuses an invalid limit", async () => {
    await using fixture = await createFixture();
    const sender = fixture.client.createSender("orders");
    for (const maxSizeInBytes of [0, -1, 1.5, Number.NaN]) {
      await expect(sender.createMessageBatch({ maxSizeInBytes })).rejects.toThrow(TypeError);
    }
  });

  it("stays within 1 MB on an entity that accepts larger messages", async () => {
    await using fixture = await createFixture({ queue: { maxMessageSizeInKilobytes: 102_400 } });
    const batch = await fixture.client.createSender("orders").createMessageBatch();
    expect(batch.maxSizeInBytes).toBe(1024 * 1024);
  });
});
