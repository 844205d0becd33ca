import { inspect } from "node:util";
import type {
  DiagnosticEvent,
  Diagnostics,
  OperationTrace,
  TracedOperation,
} from "@waybill/core/diagnostics";
import { describe, expect, it } from "vitest";
import { createFixture, poison, registryBound, until } from "../../test/fixture.js";

describe("diagnostics.onEvent", () => {
  it("is notified of sending, receiving, reading and settling", async () => {
    const { events, onEvent } = recorder();
    await using fixture = await createFixture({ client: { diagnostics: { onEvent } } });
    await fixture.client
      .createSender("orders")
      .sendMessages({ body: { n: 1 }, messageId: "a", subject: "order" });
    const receiver = fixture.client.createReceiver("orders");
    const [message] = await receiver.receiveMessages(1);
    await receiver.completeMessage(message!);
    expect(events.map(({ type }) => type)).toEqual(["send", "receive", "deserialize", "settle"]);
    const facts = { messageId: "a", messageType: "order", contentType: "application/json", bodyBytes: 7 };
    expect(events).toMatchObject([
      { entityPath: "orders", messages: [facts], error: undefined, durationInMs: expect.any(Number) },
      { entityPath: "orders", messages: [{ ...facts, deliveryCount: 0 }] },
      {
        message: facts,
        outcome: "decoded",
        isPeeked: false,
        report: { serializer: "json", position: 0, durationInMs: expect.any(Number) },
      },
      { message: facts, verb: "complete", error: undefined },
    ]);
  });

  it("is notified of handlers, and of what they throw", async () => {
    const { events, onEvent } = recorder();
    await using fixture = await createFixture({ client: { diagnostics: { onEvent } } });
    await fixture.client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    const failure = new Error("no stock");
    const subscription = fixture.client.createReceiver("orders").subscribe({
      processMessage: ({ body, deliveryCount }) => {
        if (body === 1 && deliveryCount === 0) throw failure;
      },
      processError() {},
    });
    await until(() => events.filter(({ type }) => type === "settle").length === 3);
    await subscription.close();
    expect(
      events.filter(({ type }) => type === "process").map((event) => (event as { error: unknown }).error),
    ).toEqual([failure, undefined, undefined]);
    expect(events.flatMap((event) => (event.type === "settle" ? event.verb : []))).toEqual([
      "abandon",
      "complete",
      "complete",
    ]);
  });

  it("is notified why a message was dead-lettered, with every attempt and without payload", async () => {
    const { events, onEvent } = recorder();
    await using fixture = await createFixture({ client: { diagnostics: { onEvent } } });
    await fixture.client.createSender("orders").sendEncodedMessages(poison("a", "{s3cret"));
    await fixture.client.createReceiver("orders").receiveMessages(1, { maxWaitTimeInMs: 0 });
    expect(events.slice(2)).toMatchObject([
      {
        type: "deserialize",
        outcome: "undeserializable",
        deadLetterReason: "DeserializationFailed",
        report: { attempts: [{ serializer: "json", stage: "decode", reason: "malformed" }] },
      },
      { type: "settle", verb: "deadLetter", deadLetterReason: "DeserializationFailed" },
      { type: "undeserializable", disposition: "deadLettered", error: { code: "deserialization-failed" } },
      { type: "receive", messages: [] },
    ]);
    expect(inspect(events, { depth: 9 })).not.toContain("s3cret");
    expect(inspect(events, { depth: 9 })).not.toContain("rawBody");
  });

  it("is notified of unavailable bodies, of peeking, and of renewed locks", async () => {
    const { events, onEvent } = recorder();
    const registry = { isUp: false };
    await using fixture = await createFixture({
      client: { diagnostics: { onEvent }, additionalDeserializers: [registryBound(registry)] },
    });
    await fixture.client
      .createSender("orders")
      .sendMessages({ body: "a", contentType: "application/x-custom" });
    const receiver = fixture.client.createReceiver("orders");
    await expect(receiver.receiveMessages(1)).rejects.toMatchObject({ code: "unavailable" });
    registry.isUp = true;
    await receiver.peekMessages(1);
    const [message] = await receiver.receiveMessages(1);
    await receiver.renewMessageLock(message!);
    const notified = events.map((event) =>
      [event.type, "outcome" in event ? event.outcome : undefined].join(" ").trim(),
    );
    expect(notified).toEqual([
      "send",
      "receive",
      "deserialize unavailable",
      "undeserializable",
      "peek",
      "deserialize decoded",
      "deserialize decoded",
      "renewLock",
    ]);
    expect(events[5]).toMatchObject({ isPeeked: true });
  });

  it("is notified of failures with their errors", async () => {
    const { events, onEvent } = recorder();
    await using fixture = await createFixture({ client: { diagnostics: { onEvent } } });
    await expect(fixture.client.createSender("nowhere").sendMessages({ body: 1 })).rejects.toThrow();
    expect(events).toMatchObject([
      { type: "send", entityPath: "nowhere", error: { code: "entity-not-found" } },
    ]);
  });

  it("is notified of the batches of a large array", async () => {
    const { events, onEvent } = recorder();
    await using fixture = await createFixture({ client: { diagnostics: { onEvent } } });
    const text = "x".repeat(400_000);
    await fixture.client.createSender("orders").sendMessages([1, 2, 3].map(() => ({ body: text })));
    const sizes = events.map((event) => (event.type === "send" ? event.messages.length : 0));
    expect(sizes).toEqual([2, 1]);
  });

  it("can throw without effect", async () => {
    const diagnostics: Diagnostics = {
      onEvent() {
        throw new Error("a hook");
      },
      trace: () => ({
        run() {
          throw new Error("a hook");
        },
        onEvent() {
          throw new Error("a hook");
        },
        end() {
          throw new Error("a hook");
        },
      }),
    };
    await using fixture = await createFixture({ client: { diagnostics } });
    const handled: unknown[] = [];
    await fixture.client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    const receiver = fixture.client.createReceiver("orders");
    const subscription = receiver.subscribe({
      processMessage: ({ body }) => void handled.push(body),
      processError() {},
    });
    await until(() => handled.length === 2);
    await subscription.close();
    expect(await receiver.peekMessages(1)).toEqual([]);
  });
});

describe("diagnostics.trace", () => {
  it("follows each operation from start to end, and handlers run inside", async () => {
    const { log, trace } = tracer();
    await using fixture = await createFixture({ client: { diagnostics: { trace } } });
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    const subscription = fixture.client.createReceiver("orders").subscribe({
      processMessage: () => void log.push("handler"),
      processError() {},
    });
    await until(() => log.includes("end process"));
    await subscription.close();
    expect(log).toEqual([
      "begin send",
      "run send",
      "send send",
      "end send",
      "begin process",
      "run process",
      "process deserialize",
      "handler",
      "process process",
      "begin settle",
      "run settle",
      "settle settle",
      "end settle",
      "end process",
    ]);
  });

  it("ends a receive when all its messages are read", async () => {
    const { log, trace } = tracer();
    await using fixture = await createFixture({ client: { diagnostics: { trace } } });
    await fixture.client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    log.length = 0;
    await fixture.client.createReceiver("orders").receiveMessages(2);
    expect(log).toEqual(["begin receive", "receive deserialize", "receive deserialize", "end receive"]);
  });

  it("adds properties to the messages, once to each of an array", async () => {
    let created = 0;
    const trace = (operation: TracedOperation): OperationTrace | undefined => {
      if (operation.type !== "create") return undefined;
      created++;
      return {
        run: (work) => work(),
        end() {},
        propertiesToAdd: { traceparent: `of ${operation.message.messageId}` },
      };
    };
    await using fixture = await createFixture({ client: { diagnostics: { trace } } });
    const sender = fixture.client.createSender("orders");
    const applicationProperties = Object.freeze({ tenant: "a" });
    const body = "x".repeat(400_000);
    await sender.sendMessages(
      ["a", "b", "c"].map((messageId) => ({ messageId, body, applicationProperties })),
    );
    const batch = await sender.createMessageBatch();
    batch.tryAddMessage({ messageId: "d", body: 1 });
    await sender.sendMessages(batch);
    const messages = await fixture.client.createReceiver("orders").receiveMessages(9);
    expect(messages.map(({ applicationProperties }) => applicationProperties)).toEqual([
      { tenant: "a", traceparent: "of a" },
      { tenant: "a", traceparent: "of b" },
      { tenant: "a", traceparent: "of c" },
      { traceparent: "of d" },
    ]);
    expect(created).toBe(4);
  });

  it("is read for each operation, so that a getter can disable it", async () => {
    const { log, trace } = tracer();
    let isOn = false;
    const diagnostics: Diagnostics = {
      get trace() {
        return isOn ? trace : undefined;
      },
    };
    await using fixture = await createFixture({ client: { diagnostics } });
    const sender = fixture.client.createSender("orders");
    await sender.sendMessages({ body: 1 });
    expect(log).toEqual([]);
    isOn = true;
    await sender.sendMessages({ body: 1 });
    expect(log).toEqual(["begin send", "run send", "send send", "end send"]);
  });
});

function recorder() {
  const events: DiagnosticEvent[] = [];
  return { events, onEvent: (event: DiagnosticEvent) => void events.push(event) };
}

function tracer() {
  const log: string[] = [];
  const trace = ({ type }: TracedOperation): OperationTrace => {
    log.push(`begin ${type}`);
    return {
      run(work) {
        log.push(`run ${type}`);
        return work();
      },
      onEvent: (event) => void log.push(`${type} ${event.type}`),
      end: (error) => void log.push(`end ${type}${error === undefined ? "" : " failed"}`),
    };
  };
  return { log, trace };
}
