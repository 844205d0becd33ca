import { describe, expect, it } from "vitest";
import { codeOf, openFixture } from "./fixture.test-support.js";
import { numberIn } from "./raw-client.test-support.js";
import { openRaw } from "./raw-fixture.test-support.js";

describe("a server", () => {
  it("is not slowed down by long sequences of slashes or spaces", async () => {
    await using fixture = await openRaw({}, { keys: [{ name: "key", key: "secret", rights: ["Manage"] }] });
    const known = { mechanism: "PLAIN", initialResponse: Buffer.from("\0key\0secret") };
    await using client = await fixture.connect(known);
    const many = 50_000;
    await expect(client.sender(`a${"/".repeat(many)}x`)).rejects.toThrow("amqp:invalid-field");
    const cbs = await client.management("$cbs");
    const put = (token: string, name: string) => cbs.call("put-token", token, { name });
    const token = `SharedAccessSignature ${" ".repeat(many)}\n`;
    expect(numberIn(await put(token, "sb://h/orders"), "status-code")).toBe(401);
    const signed = "SharedAccessSignature sr=sb%3a%2f%2fh%2forders&se=99999999999&skn=key&sig=none";
    expect(numberIn(await put(signed, `sb://h/a${"/".repeat(many)}x`), "status-code")).toBe(401);
  });
});

describe("an entity", () => {
  it("that does not exist is MessagingEntityNotFound to senders, receivers and management", async () => {
    await using fixture = await openFixture();
    expect(await codeOf(fixture.client.createSender("none").sendMessages({ body: 1 }))).toBe(
      "MessagingEntityNotFound",
    );
    expect(await codeOf(fixture.client.createReceiver("none").receiveMessages(1))).toBe(
      "MessagingEntityNotFound",
    );
    expect(await codeOf(fixture.client.createReceiver("none").peekMessages(1))).toBe(
      "MessagingEntityNotFound",
    );
  });

  it("that is disabled is MessagingEntityDisabled", async () => {
    await using fixture = await openFixture();
    await fixture.broker.updateEntity("orders", { status: "Disabled" });
    expect(await codeOf(fixture.sender.sendMessages({ body: 1 }))).toBe("MessagingEntityDisabled");
    expect(await codeOf(fixture.receiver.receiveMessages(1))).toBe("MessagingEntityDisabled");
  });

  it("that is ReceiveDisabled refuses receivers", async () => {
    await using fixture = await openFixture({ status: "ReceiveDisabled" });
    await fixture.sender.sendMessages({ body: 1 });
    expect(await codeOf(fixture.receiver.receiveMessages(1))).toBe("MessagingEntityDisabled");
  });

  it("that is SendDisabled refuses senders", async () => {
    await using fixture = await openFixture({ status: "SendDisabled" });
    expect(await codeOf(fixture.sender.sendMessages({ body: 1 }))).toBe("MessagingEntityDisabled");
    expect(await fixture.receiver.receiveMessages(1, { maxWaitTimeInMs: 20 })).toEqual([]);
  });

  it("that is full is QuotaExceeded", async () => {
    await using fixture = await openFixture();
    fixture.broker.faults.fill("orders");
    expect(await codeOf(fixture.sender.sendMessages({ body: 1 }))).toBe("QuotaExceeded");
  });

  it("that is throttled is ServiceBusy", async () => {
    await using fixture = await openFixture();
    fixture.broker.faults.throttle("orders", 1);
    expect(await codeOf(fixture.sender.sendMessages({ body: 1 }))).toBe("ServiceBusy");
    await fixture.sender.sendMessages({ body: 1 });
  });

  it("that is deleted ends its receivers", async () => {
    await using fixture = await openFixture();
    const error = new Promise((resolve) => {
      fixture.receiver.subscribe({
        processMessage: () => fixture.broker.deleteEntity("orders"),
        processError: async (args) => {
          if (args.errorSource === "receive") resolve(args.error);
        },
      });
    });
    await fixture.sender.sendMessages({ body: 1 });
    expect(await error).toMatchObject({ code: "MessagingEntityNotFound" });
  });
});

describe("an idle receiver", () => {
  it("gets an error when it grants credit after its entity was deleted or disabled", async () => {
    await using fixture = await openFixture();
    await fixture.sender.sendMessages({ body: 1 });
    await fixture.receiver.receiveMessages(1);
    await fixture.broker.updateEntity("orders", { status: "Disabled" });
    expect(await codeOf(fixture.receiver.receiveMessages(1))).toBe("MessagingEntityDisabled");
    await fixture.broker.deleteEntity("orders");
    expect(await codeOf(fixture.receiver.receiveMessages(1))).toBe("MessagingEntityNotFound");
  });
});

describe("a message", () => {
  it("of 1 MB is accepted", async () => {
    await using fixture = await openFixture({ maxMessageSizeInKilobytes: 2048 });
    const body = Buffer.alloc(1024 * 1024, 7);
    await fixture.sender.sendMessages({ body });
    const [message] = await fixture.receiver.receiveMessages(1);
    expect(Buffer.compare(message!.body, body)).toBe(0);
  });

  it("larger than its entity allows is MessageSizeExceeded", async () => {
    await using fixture = await openFixture({ maxMessageSizeInKilobytes: 256 });
    const body = Buffer.alloc(300 * 1024);
    expect(await codeOf(fixture.sender.sendMessages({ body }))).toBe("MessageSizeExceeded");
    const batch = await fixture.sender.createMessageBatch();
    expect(batch.maxSizeInBytes).toBe(256 * 1024);
    expect(batch.tryAddMessage({ body })).toBe(false);
    await fixture.sender.sendMessages({ body: "small" });
  });
});

describe("application properties", () => {
  const limit = 64 * 1024;
  /** Names and values with a total number of bytes, none of them too large. */
  const ofSize = (bytes: number): Record<string, string> => {
    const names = ["a", "b", "c"];
    const share = Math.floor(bytes / names.length);
    const values = names.map((name) => [name, "x".repeat(share - 1)]);
    return { ...Object.fromEntries(values), c: "x".repeat(bytes - 2 * share - 1) };
  };

  it("of 64 KB are accepted, and one byte more is MessageSizeExceeded", async () => {
    await using fixture = await openFixture();
    await fixture.sender.sendMessages({ body: 1, applicationProperties: ofSize(limit) });
    const larger = { body: 1, applicationProperties: ofSize(limit + 1) };
    expect(await codeOf(fixture.sender.sendMessages(larger))).toBe("MessageSizeExceeded");
    expect(await codeOf(fixture.sender.sendMessages([{ body: 1 }, larger]))).toBe("MessageSizeExceeded");
    expect(await codeOf(fixture.sender.scheduleMessages(larger, new Date()))).toBe("MessageSizeExceeded");
    expect(fixture.broker.getEntity("orders").totalMessageCount).toBe(1);
  });

  it("of 32 KB are accepted, and one byte more is MessageSizeExceeded", async () => {
    await using fixture = await openFixture();
    const sending = (bytes: number) =>
      fixture.sender.sendMessages({ body: 1, applicationProperties: { p: "x".repeat(bytes - 1) } });
    await sending(limit / 2);
    expect(await codeOf(sending(limit / 2 + 1))).toBe("MessageSizeExceeded");
  });

  it.each([
    ["a list", [1, 2]],
    ["a map", { a: 1 }],
  ])("that contain %s are refused, also in a settlement", async (_name, value) => {
    await using fixture = await openFixture();
    const applicationProperties = { odd: value } as never;
    await expect(fixture.sender.sendMessages({ body: 1, applicationProperties })).rejects.toThrow(
      'Serialization operation failed due to unsupported type: application property "odd" is of type',
    );
    await fixture.sender.sendMessages({ body: 1 });
    const [message] = await fixture.receiver.receiveMessages(1);
    expect(await codeOf(fixture.receiver.abandonMessage(message!, applicationProperties))).toBe(
      "GeneralError",
    );
    const receiver = fixture.broker.receiver("orders");
    expect((await receiver.peek())[0]!.applicationProperties).toEqual({});
  });
});
