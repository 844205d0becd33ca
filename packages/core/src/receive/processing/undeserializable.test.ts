import {
  deadLetterRecordProperty,
  type EncodedMessage,
  type ProcessErrorArgs,
  parseDeadLetterRecord,
  type UndecodedMessage,
  WaybillClient,
  WaybillError,
} from "@waybill/core";
import { describe, expect, it } from "vitest";
import {
  createFixture,
  custom,
  type Fixture,
  poison,
  quiet,
  reading,
  registryBound,
  until,
} from "../../../test/fixture.js";

/** Part of every undeserializable body, which must not appear anywhere else. */
const marker = "PAYLOAD-7f3a";

describe("an undeserializable message", () => {
  it("is dead-lettered at its first delivery, with a record", async () => {
    await using fixture = await createFixture({ client: { consumerVersion: "orders 1.4.2" } });
    await send(fixture, poison("p", `{"secret":"${marker}`));
    expect(await fixture.client.createReceiver("orders").receiveMessages(1, { maxWaitTimeInMs: 0 })).toEqual(
      [],
    );
    const [dead] = await deadLetters(fixture);
    expect(dead).toMatchObject({
      messageId: "p",
      body: undefined,
      deliveryCount: 0,
      deadLetterReason: "DeserializationFailed",
    });
    const record = parseDeadLetterRecord(dead!)!;
    expect(record).toMatchObject({
      reason: "DeserializationFailed",
      attempts: [{ serializer: "json", position: 0, stage: "decode", reason: "truncated" }],
      attemptCount: 1,
      contentType: "application/json",
      section: "data",
      bodyBytes: (dead!.rawBody as Uint8Array).length,
      bodySha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      consumerVersion: "orders 1.4.2",
      deadLetteredAt: new Date(fixture.clock.now()),
    });
  });

  it("never shows its payload in records, errors and events", async () => {
    await using fixture = await createFixture({
      client: {
        additionalDeserializers: [
          reading(() => {
            throw new Error(`cannot read ${marker}`);
          }),
        ],
      },
    });
    await send(fixture, poison("p", marker), custom("c", marker));
    const errors = await processErrors(fixture, 2);
    const dead = await deadLetters(fixture);
    const shown = [
      ...dead.map(({ applicationProperties, deadLetterReason, deadLetterErrorDescription }) => [
        applicationProperties,
        deadLetterReason,
        deadLetterErrorDescription,
      ]),
      ...errors.map(({ error }) => everything(error)),
      ...fixture.events.map(({ error, settlementError }) => [everything(error), everything(settlementError)]),
    ];
    expect(dead).toHaveLength(2);
    expect(JSON.stringify(shown)).not.toContain(marker);
  });

  it("is reported to processError and to the client's hook, and never reaches processMessage", async () => {
    await using fixture = await createFixture();
    await send(fixture, poison("p"));
    const [reported] = await processErrors(fixture, 1);
    expect(reported).toMatchObject({
      errorSource: "deserialize",
      error: { code: "deserialization-failed", messageId: "p", entityPath: "orders" },
      disposition: "deadLettered",
      rawMessage: { messageId: "p", body: undefined, failure: { status: "undeserializable" } },
    });
    expect(fixture.events).toMatchObject([{ disposition: "deadLettered", settlementError: undefined }]);
  });

  it("is reported with the attempt that reached the latest stage, not with the last one", async () => {
    await using fixture = await createFixture({ client: { additionalDeserializers: [reading(() => 1)] } });
    await send(fixture, poison("p"));
    const [reported] = await processErrors(fixture, 1);
    expect(reported!.rawMessage!.deserialization.attempts).toMatchObject([
      { serializer: "json", stage: "decode", reason: "malformed" },
      { serializer: "custom", stage: "select", reason: "not-recognized" },
    ]);
    expect(reported!.error).toMatchObject({ format: "json", stage: "decode", reason: "malformed" });
  });

  it("is dead-lettered even when the hook throws", async () => {
    await using fixture = await createFixture({
      client: {
        onUndeserializable: () => {
          throw new Error("hook");
        },
      },
    });
    await send(fixture, poison("p"));
    await fixture.client.createReceiver("orders").receiveMessages(1, { maxWaitTimeInMs: 0 });
    expect(await deadLetters(fixture)).toHaveLength(1);
  });

  it.each([
    { taken: 0, hasRecord: true },
    { taken: 64_500, hasRecord: true },
    { taken: 65_300, hasRecord: false },
  ])("does not exceed the limit on properties: with $taken bytes of others", async ({ taken, hasRecord }) => {
    await using fixture = await createFixture();
    const filling = { a: "x".repeat(taken / 3), b: "x".repeat(taken / 3), c: "x".repeat(taken / 3) };
    await send(fixture, { ...poison("p"), applicationProperties: filling });
    await fixture.client.createReceiver("orders").receiveMessages(1, { maxWaitTimeInMs: 0 });
    const [dead] = await deadLetters(fixture);
    expect(dead).toMatchObject({ deliveryCount: 0, deadLetterReason: "DeserializationFailed" });
    expect(dead!.applicationProperties).toMatchObject(filling);
    expect(parseDeadLetterRecord(dead!) !== undefined).toBe(hasRecord);
    const sizes = Object.entries(dead!.applicationProperties).map(
      ([key, value]) => key.length + String(value).length,
    );
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(65_536);
  });

  it("is dead-lettered without record and description if the broker refuses them", async () => {
    await using fixture = await createFixture();
    refuseDescriptions(fixture);
    await send(fixture, poison("p"));
    await fixture.client.createReceiver("orders").receiveMessages(1, { maxWaitTimeInMs: 0 });
    const [dead] = await deadLetters(fixture);
    expect(dead!.deadLetterReason).toBe("DeserializationFailed");
    expect(dead!.deadLetterErrorDescription).toBeUndefined();
    expect(parseDeadLetterRecord(dead!)).toBeUndefined();
    expect(fixture.events).toMatchObject([{ disposition: "deadLettered" }]);
  });

  it("is delivered again if dead-lettering fails temporarily, and processError is called", async () => {
    await using fixture = await createFixture();
    const errors: ProcessErrorArgs[] = [];
    let handled = 0;
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    fixture.client.createReceiver("orders").subscribe({
      processMessage() {
        handled++;
      },
      processError: (args) => void errors.push(args),
    });
    await until(() => handled === 1);
    const stopWatching = fixture.broker.onEvent(({ type }) => {
      if (type !== "delivered") return;
      stopWatching();
      fixture.broker.faults.throttle("orders", 1);
    });
    await send(fixture, poison("p"));
    await until(() => errors.length === 2);
    expect(errors).toMatchObject([
      { errorSource: "deadLetter", error: { code: "service-busy" } },
      { errorSource: "deserialize", disposition: "unsettled" },
    ]);
    expect(await deadLetters(fixture)).toEqual([]);
    await advance(fixture, 60_000);
    await until(() => errors.length === 3);
    expect(await deadLetters(fixture)).toMatchObject([{ messageId: "p", deliveryCount: 1 }]);
  });

  it.each(["missing", "unknown", "mismatch"] as const)(
    "can be the result of the %s policy",
    async (policy) => {
      await using fixture = await createFixture({
        client: { additionalDeserializers: [refuser], contentTypePolicies: { [policy]: "reject" } },
      });
      const body = new TextEncoder().encode('{"n":1}');
      const messages: Record<typeof policy, EncodedMessage> = {
        missing: { body },
        unknown: { body, contentType: "application/x-other" },
        mismatch: custom("c", '{"n":1}'),
      };
      await send(fixture, messages[policy]);
      const receiver = fixture.client.createReceiver("orders");
      expect(await receiver.receiveMessages(1, { maxWaitTimeInMs: 0 })).toEqual([]);
      expect(await deadLetters(fixture)).toHaveLength(1);
    },
  );

  it("is read by the chain if the policies allow it", async () => {
    await using fixture = await createFixture({ client: { additionalDeserializers: [refuser] } });
    await send(fixture, custom("c", '{"n":1}'));
    const [message] = await fixture.client.createReceiver("orders").receiveMessages(1);
    expect(message!.deserialization).toMatchObject({ serializer: "json", declared: "custom", position: 0 });
    expect(message!.deserialization.attempts).toHaveLength(1);
  });

  it.each([
    ["returns nothing", () => undefined, "value-missing"],
    [
      "throws something unexpected",
      () => {
        throw new RangeError("stack");
      },
      "serializer-fault",
    ],
  ])("can be the result of a serializer that %s", async (_, deserialize, reason) => {
    await using fixture = await createFixture({
      client: { additionalDeserializers: [reading(deserialize)] },
    });
    await send(fixture, custom("c"));
    await fixture.client.createReceiver("orders").receiveMessages(1, { maxWaitTimeInMs: 0 });
    const [dead] = await deadLetters(fixture);
    expect(parseDeadLetterRecord(dead!)!.attempts[0]).toMatchObject({ serializer: "custom", reason });
  });

  it("is not a message without bytes, which is delivered without a body", async () => {
    await using fixture = await createFixture();
    await send(fixture, { body: new Uint8Array(), messageId: "e" });
    const [message] = await fixture.client
      .createReceiver("orders")
      .receiveMessages(1, { maxWaitTimeInMs: 0 });
    expect(message).toMatchObject({ messageId: "e", body: undefined, deserialization: { isEmpty: true } });
    expect(await deadLetters(fixture)).toEqual([]);
  });
});

describe("a message that needs an unavailable dependency", () => {
  it("is held locked, read again after doubling delays, and handled at its first delivery", async () => {
    const registry = { isUp: false, asked: 0 };
    await using fixture = await createFixture({
      client: { additionalDeserializers: [countedRegistry(registry)] },
    });
    await send(fixture, custom("c", "hello"));
    const seen: unknown[] = [];
    const errors: ProcessErrorArgs[] = [];
    fixture.client.createReceiver("orders").subscribe({
      processMessage: ({ body, deliveryCount }) => void seen.push([body, deliveryCount]),
      processError: (args) => void errors.push(args),
    });
    await until(() => errors.length === 1);
    expect(errors[0]).toMatchObject({
      errorSource: "deserialize",
      disposition: "held",
      error: { code: "unavailable", messageId: "c" },
    });
    const waits = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000];
    for (const [i, waitMs] of waits.entries()) {
      await advance(fixture, waitMs - 1);
      expect(registry.asked).toBe(i + 1);
      await advance(fixture, 1);
      expect(registry.asked).toBe(i + 2);
    }
    // It is reported once.
    expect(errors).toHaveLength(1);
    registry.isUp = true;
    await advance(fixture, 30_000);
    expect(seen).toEqual([[{ text: "hello" }, 0]]);
    expect(await deadLetters(fixture)).toEqual([]);
  });

  it("rejects receiveMessages if there is no other message, and is read again by the next call", async () => {
    const registry = { isUp: false };
    await using fixture = await createFixture({
      client: { additionalDeserializers: [registryBound(registry)] },
    });
    await send(fixture, custom("c"));
    const receiver = fixture.client.createReceiver("orders");
    const unavailable = { code: "unavailable", messageId: "c", entityPath: "orders" };
    await expect(receiver.receiveMessages(1)).rejects.toMatchObject(unavailable);
    await expect(receiver.receiveMessages(1, { maxWaitTimeInMs: 0 })).rejects.toMatchObject(unavailable);
    registry.isUp = true;
    expect(await receiver.receiveMessages(1, { maxWaitTimeInMs: 0 })).toMatchObject([
      { body: { text: "x" }, deliveryCount: 0 },
    ]);
  });

  it("is read again within a call that waits", async () => {
    const registry = { isUp: false };
    await using fixture = await createFixture({
      client: { additionalDeserializers: [registryBound(registry)] },
    });
    await send(fixture, custom("c"));
    const receiver = fixture.client.createReceiver("orders");
    await expect(receiver.receiveMessages(1)).rejects.toMatchObject({ code: "unavailable" });
    const received = receiver.receiveMessages(1);
    await advance(fixture, 1_000);
    registry.isUp = true;
    await advance(fixture, 4_000);
    expect(await received).toMatchObject([{ body: { text: "x" }, deliveryCount: 0 }]);
  });

  it("does not prevent others from being received", async () => {
    await using fixture = await createFixture({
      client: { additionalDeserializers: [registryBound({ isUp: false })] },
    });
    await send(fixture, custom("c"));
    await fixture.client.createSender("orders").sendMessages({ body: { n: 1 } });
    const receiver = fixture.client.createReceiver("orders");
    await expect(receiver.receiveMessages(1)).rejects.toMatchObject({ code: "unavailable" });
    expect(await receiver.receiveMessages(1)).toMatchObject([{ body: { n: 1 } }]);
    await expect(receiver.receiveMessages(1, { maxWaitTimeInMs: 0 })).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  it("is abandoned when the receiver is closed", async () => {
    await using fixture = await createFixture({
      client: { additionalDeserializers: [registryBound({ isUp: false })] },
    });
    await send(fixture, custom("c"));
    const receiver = fixture.client.createReceiver("orders");
    await expect(receiver.receiveMessages(1)).rejects.toMatchObject({ code: "unavailable" });
    await receiver.close();
    expect(await fixture.broker.receiver("orders").peek(9)).toMatchObject([
      { deliveryCount: 1, state: "active" },
    ]);
    const subscription = fixture.client
      .createReceiver("orders")
      .subscribe({ processMessage() {}, processError() {} });
    await until(() => fixture.events.length === 2);
    await subscription.close();
    expect(await fixture.broker.receiver("orders").peek(9)).toMatchObject([{ deliveryCount: 2 }]);
  });

  it("is returned to the call that requested its sequence number", async () => {
    const registry = { isUp: true };
    await using fixture = await createFixture({
      client: { additionalDeserializers: [registryBound(registry)] },
    });
    await send(fixture, custom("c"));
    const receiver = fixture.client.createReceiver("orders");
    const [message] = await receiver.receiveMessages(1);
    await receiver.deferMessage(message!);
    registry.isUp = false;
    const { sequenceNumber } = message!;
    await expect(receiver.receiveDeferredMessages(sequenceNumber)).rejects.toMatchObject({
      code: "unavailable",
    });
    expect(await receiver.receiveMessages(1, { maxWaitTimeInMs: 0 })).toEqual([]);
    registry.isUp = true;
    expect(await receiver.receiveDeferredMessages(sequenceNumber)).toMatchObject([{ messageId: "c" }]);
  });

  it("is the result of a serializer that does not return in time", async () => {
    await using fixture = await createFixture({
      client: {
        additionalDeserializers: [reading(() => new Promise(() => {}))],
        attemptTimeoutInMs: 1,
      },
    });
    await send(fixture, custom("c"));
    const receiver = fixture.client.createReceiver("orders");
    await expect(receiver.receiveMessages(1)).rejects.toMatchObject({ code: "unavailable" });
    await quiet();
    expect(await receiver.peekMessages(1)).toMatchObject([{ deliveryCount: 0 }]);
  });

  it("is the result of a pipeline that throws", async () => {
    await using fixture = await createFixture();
    const broken = () => {
      throw new Error("broken");
    };
    const client = new WaybillClient(fixture.transport, {
      pipeline: { serialize: broken, deserialize: broken } as never,
    });
    await send(fixture, poison("p"));
    await expect(client.createReceiver("orders").receiveMessages(1)).rejects.toMatchObject({
      code: "unavailable",
    });
    expect(await deadLetters(fixture)).toEqual([]);
  });
});

describe("receive-and-delete", () => {
  const receiveMode = "receiveAndDelete";

  it("passes an undeserializable message to processError, with its raw body", async () => {
    await using fixture = await createFixture();
    await send(fixture, poison("p", marker));
    const errors: ProcessErrorArgs[] = [];
    fixture.client
      .createReceiver("orders", { receiveMode })
      .subscribe({ processMessage() {}, processError: (args) => void errors.push(args) });
    await until(() => errors.length === 1);
    expect(errors[0]).toMatchObject({ disposition: "handedOver", errorSource: "deserialize" });
    expect(textOf(errors[0]!.rawMessage!)).toBe(marker);
  });

  it("returns it raw and marked from receiveMessages", async () => {
    await using fixture = await createFixture();
    await send(fixture, poison("p", marker));
    const [message] = await fixture.client.createReceiver("orders", { receiveMode }).receiveMessages(1);
    expect(message).toMatchObject({ body: undefined, failure: { status: "undeserializable" } });
    expect(textOf(message as UndecodedMessage)).toBe(marker);
  });

  it("sends it to the quarantine queue, unchanged and with its record", async () => {
    await using fixture = await createFixture({ client: { quarantineQueue: "quarantine" } });
    await send(fixture, {
      ...poison("p", marker),
      correlationId: "order-1",
      subject: "order",
      applicationProperties: { tenant: 7 },
    });
    const receiver = fixture.client.createReceiver("orders", { receiveMode });
    expect(await receiver.receiveMessages(1, { maxWaitTimeInMs: 0 })).toEqual([]);
    expect(fixture.events).toMatchObject([{ disposition: "quarantined" }]);
    const [kept] = await fixture.client.createReceiver("quarantine").peekMessages(1);
    expect(kept).toMatchObject({
      messageId: "p",
      correlationId: "order-1",
      subject: "order",
      contentType: "application/json",
      deadLetterReason: "DeserializationFailed",
      applicationProperties: { tenant: 7, [deadLetterRecordProperty]: expect.any(String) },
    });
    expect(textOf(kept as UndecodedMessage)).toBe(marker);
    expect(parseDeadLetterRecord(kept!)).toMatchObject({ reason: "DeserializationFailed" });
  });

  it("passes it on if the quarantine queue refuses it", async () => {
    await using fixture = await createFixture({ client: { quarantineQueue: "no-such-queue" } });
    await send(fixture, poison("p"));
    const errors: ProcessErrorArgs[] = [];
    fixture.client
      .createReceiver("orders", { receiveMode })
      .subscribe({ processMessage() {}, processError: (args) => void errors.push(args) });
    await until(() => errors.length === 2);
    expect(errors).toMatchObject([
      { errorSource: "quarantine", error: { code: "entity-not-found" } },
      { errorSource: "deserialize", disposition: "handedOver", rawMessage: { messageId: "p" } },
    ]);
  });

  it("also quarantines messages that need an unavailable dependency", async () => {
    await using fixture = await createFixture({
      client: {
        quarantineQueue: "quarantine",
        additionalDeserializers: [registryBound({ isUp: false })],
      },
    });
    await send(fixture, custom("c"));
    const receiver = fixture.client.createReceiver("orders", { receiveMode });
    expect(await receiver.receiveMessages(1, { maxWaitTimeInMs: 0 })).toEqual([]);
    const kept = await fixture.client.createReceiver("quarantine").peekMessages(9);
    expect(kept).toMatchObject([{ messageId: "c" }]);
  });
});

describe("a dead-letter queue", () => {
  it("passes on undeserializable messages with raw body and failure, to be settled", async () => {
    await using fixture = await createFixture();
    await send(fixture, poison("p"));
    await fixture.client.createReceiver("orders").receiveMessages(1, { maxWaitTimeInMs: 0 });
    const receiver = fixture.client.createReceiver("orders", { subQueueType: "deadLetter" });
    const [dead] = await receiver.receiveMessages(1);
    expect(dead).toMatchObject({ messageId: "p", failure: { status: "undeserializable" } });
    await receiver.completeMessage(dead!);
    expect(await deadLetters(fixture)).toEqual([]);
  });

  it("passes decoded and undeserializable messages to a processor", async () => {
    await using fixture = await createFixture();
    await fixture.client.createSender("orders").sendMessages({ body: { n: 1 }, messageId: "good" });
    const receiver = fixture.client.createReceiver("orders");
    const [good] = await receiver.receiveMessages(1);
    await receiver.deadLetterMessage(good!);
    await send(fixture, poison("bad"));
    await receiver.receiveMessages(1, { maxWaitTimeInMs: 0 });
    const seen: unknown[] = [];
    fixture.client.createReceiver("orders", { subQueueType: "deadLetter" }).subscribe({
      processMessage: ({ messageId, body, failure }) => void seen.push([messageId, body, failure?.status]),
      processError: () => {},
    });
    await until(() => seen.length === 2);
    expect(seen).toEqual([
      ["good", { n: 1 }, undefined],
      ["bad", undefined, "undeserializable"],
    ]);
    await quiet();
    expect(await deadLetters(fixture)).toEqual([]);
  });
});

/** A registry that counts its calls. */
function countedRegistry(registry: { isUp: boolean; asked: number }) {
  const bound = registryBound(registry);
  return {
    ...bound,
    deserialize: (...args: Parameters<typeof bound.deserialize>) => {
      registry.asked++;
      return bound.deserialize(...args);
    },
  };
}

/** A serializer that refuses every body with its content type. */
const refuser = reading(() => {
  throw new TypeError("not mine");
});

/** Like a broker with lower limits. */
function refuseDescriptions({ transport }: Fixture): void {
  const createReceiver = transport.createReceiver.bind(transport);
  transport.createReceiver = (address, receiveMode) => {
    const receiver = createReceiver(address, receiveMode);
    const deadLetter = receiver.deadLetter.bind(receiver);
    receiver.deadLetter = async (delivery, options) => {
      if (options?.deadLetterErrorDescription !== undefined) {
        throw new WaybillError("operation-invalid", "There is no room for a description.");
      }
      await deadLetter(delivery, options);
    };
    return receiver;
  };
}

async function send(fixture: Fixture, ...messages: EncodedMessage[]): Promise<void> {
  await fixture.client.createSender("orders").sendEncodedMessages(messages);
}

function deadLetters(fixture: Fixture) {
  return fixture.client.createReceiver("orders", { subQueueType: "deadLetter" }).peekMessages(9);
}

async function processErrors(fixture: Fixture, count: number): Promise<ProcessErrorArgs[]> {
  const errors: ProcessErrorArgs[] = [];
  fixture.client.createReceiver("orders").subscribe({
    processMessage: () => expect.unreachable(),
    processError: (args) => void errors.push(args),
  });
  await until(() => errors.length === count);
  return errors;
}

async function advance(fixture: Fixture, durationMs: number): Promise<void> {
  fixture.clock.advance(durationMs);
  await quiet();
}

function textOf({ rawBody }: UndecodedMessage): string {
  return new TextDecoder().decode(rawBody as Uint8Array);
}

/** The whole text of an error, including its causes. */
function everything(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return [error.message, error.stack, { ...error }, everything(error.cause)];
}
