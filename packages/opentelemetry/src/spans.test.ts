import { type AttributeValue, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { describe, expect, it } from "vitest";
import { openFixture, registerSdk, until } from "./fixture.test-support.js";
import { openTelemetry } from "./index.js";

describe("sending", () => {
  it("creates a producer span whose context is sent as traceparent and Diagnostic-Id", async () => {
    await using sdk = registerSdk();
    await using fixture = await openFixture({ diagnostics: openTelemetry() });
    const message = { body: { n: 1 }, messageId: "a", correlationId: "c", subject: "order" };
    await fixture.client.createSender("orders").sendMessages(message);
    const [span] = sdk.spans();
    expect(span).toMatchObject({ name: "send orders", kind: SpanKind.PRODUCER, links: [] });
    expect(span!.attributes).toEqual({
      "messaging.system": "servicebus",
      "messaging.operation.name": "send",
      "messaging.operation.type": "send",
      "messaging.destination.name": "orders",
      "messaging.message.id": "a",
      "messaging.message.conversation_id": "c",
      "messaging.message.body.size": 7,
      "waybill.message.type": "order",
    });
    const [peeked] = await fixture.client.createReceiver("orders").peekMessages(1);
    const { traceId, spanId } = span!.spanContext();
    expect(peeked!.applicationProperties).toEqual({
      traceparent: `00-${traceId}-${spanId}-01`,
      "Diagnostic-Id": `00-${traceId}-${spanId}-01`,
    });
  });

  it("gives each message of a batch its own context, and links the send span to all", async () => {
    await using sdk = registerSdk();
    await using fixture = await openFixture({ diagnostics: openTelemetry() });
    await fixture.client.createSender("orders").sendMessages([
      { body: {}, messageId: "a" },
      { body: {}, messageId: "b" },
    ]);
    const [first, second, send] = sdk.spans();
    expect([first!.name, second!.name, send!.name]).toEqual([
      "create orders",
      "create orders",
      "send orders",
    ]);
    expect(first!.kind).toBe(SpanKind.PRODUCER);
    expect(send!.kind).toBe(SpanKind.CLIENT);
    expect(send!.attributes["messaging.batch.message_count"]).toBe(2);
    expect(send!.links.map(linked)).toEqual([first, second].map((span) => span!.spanContext().spanId));
    expect(send!.links.map(({ attributes }) => attributes!["messaging.message.id"])).toEqual(["a", "b"]);
  });

  it("does not change a context that the message already has, like the official SDK", async () => {
    await using sdk = registerSdk();
    await using fixture = await openFixture({ diagnostics: openTelemetry() });
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    for (const applicationProperties of [{ traceparent }, { "Diagnostic-Id": traceparent }]) {
      await fixture.client.createSender("orders").sendMessages({ body: {}, applicationProperties });
      await fixture.client.createSender("orders").sendMessages([
        { body: {}, applicationProperties },
        { body: {}, applicationProperties },
      ]);
    }
    for (const span of sdk.spans()) {
      expect(span).toMatchObject({ name: "send orders", kind: SpanKind.CLIENT });
      expect(new Set(span.links.map(linked))).toEqual(new Set(["b7ad6b7169203331"]));
    }
    const messages = await fixture.client.createReceiver("orders").peekMessages(9);
    expect(messages.map(({ applicationProperties }) => Object.keys(applicationProperties))).toEqual([
      ...[1, 2, 3].map(() => ["traceparent"]),
      ...[1, 2, 3].map(() => ["Diagnostic-Id"]),
    ]);
  });

  it("is a child of the active span, and records the error", async () => {
    await using sdk = registerSdk();
    await using fixture = await openFixture({ diagnostics: openTelemetry() });
    await trace.getTracer("test").startActiveSpan("request", async (span) => {
      await fixture.client
        .createSender("nowhere")
        .sendMessages({ body: {} })
        .catch(() => {});
      span.end();
    });
    const [send, request] = sdk.spans();
    expect(send!.parentSpanContext?.spanId).toBe(request!.spanContext().spanId);
    expect(send!.status.code).toBe(SpanStatusCode.ERROR);
    expect(send!.attributes["error.type"]).toBe("entity-not-found");
  });
});

describe("a subscription", () => {
  it("creates a consumer span in the producer's trace, in which the handler runs and the message is settled", async () => {
    await using sdk = registerSdk();
    await using fixture = await openFixture({ diagnostics: openTelemetry() });
    await fixture.client.createSender("orders").sendMessages({ body: {}, messageId: "a" });
    const sender = fixture.client.createSender("news");
    await handle(fixture.client.createReceiver("orders"), () => sender.sendMessages({ body: {} }), sdk.spans);
    const [send, forward, settle, process] = sdk.spans() as [
      ReadableSpan,
      ReadableSpan,
      ReadableSpan,
      ReadableSpan,
    ];
    expect([send, forward, settle, process].map(({ name }) => name)).toEqual([
      "send orders",
      "send news",
      "complete orders",
      "process orders",
    ]);
    expect(process).toMatchObject({ kind: SpanKind.CONSUMER });
    expect(process.parentSpanContext?.spanId).toBe(send.spanContext().spanId);
    expect(process.links.map(linked)).toEqual([send.spanContext().spanId]);
    expect(process.attributes).toMatchObject({
      "messaging.operation.type": "process",
      "messaging.message.id": "a",
      "messaging.servicebus.message.delivery_count": 0,
      "messaging.servicebus.message.enqueued_time": expect.any(Number),
    });
    expect(forward.parentSpanContext?.spanId).toBe(process.spanContext().spanId);
    expect(settle.parentSpanContext?.spanId).toBe(process.spanContext().spanId);
    expect(settle.attributes).toMatchObject({
      "messaging.operation.type": "settle",
      "messaging.servicebus.disposition_status": "complete",
    });
    expect(new Set([send, forward, settle, process].map((span) => span.spanContext().traceId)).size).toBe(1);
  });

  it("starts a new trace if configured, linked to the producer's", async () => {
    await using sdk = registerSdk();
    await using fixture = await openFixture({ diagnostics: openTelemetry({ processSpans: "linked" }) });
    await fixture.client.createSender("orders").sendMessages({ body: {} });
    await handle(fixture.client.createReceiver("orders"), () => {}, sdk.spans);
    const send = sdk.spans().find(({ name }) => name === "send orders")!;
    const process = sdk.spans().find(({ name }) => name === "process orders")!;
    expect(process.parentSpanContext).toBeUndefined();
    expect(process.links.map(linked)).toEqual([send.spanContext().spanId]);
  });

  it("records the error of the handler", async () => {
    await using sdk = registerSdk();
    await using fixture = await openFixture({ diagnostics: openTelemetry() });
    await fixture.client.createSender("orders").sendMessages({ body: {} });
    let calls = 0;
    const handler = () => {
      calls++;
      if (calls === 1) throw new RangeError("no stock");
    };
    await handle(fixture.client.createReceiver("orders"), handler, sdk.spans, 2);
    const [failed, succeeded] = sdk.spans().filter(({ name }) => name === "process orders");
    expect(failed!.status).toEqual({ code: SpanStatusCode.ERROR, message: "no stock" });
    expect(failed!.attributes["error.type"]).toBe("RangeError");
    expect(succeeded!.status.code).toBe(SpanStatusCode.UNSET);
    expect(sdk.spans().map(({ name }) => name)).toContain("abandon orders");
  });

  it("records each attempt to read a body as an event", async () => {
    await using sdk = registerSdk();
    await using fixture = await openFixture({ diagnostics: openTelemetry() });
    const body = new TextEncoder().encode("{s3cret");
    await fixture.client
      .createSender("orders")
      .sendEncodedMessages({ body, contentType: "application/json" });
    await handle(fixture.client.createReceiver("orders"), () => {}, sdk.spans);
    const process = sdk.spans().find(({ name }) => name === "process orders")!;
    expect(process.events.map(({ name, attributes }) => [name, attributes])).toMatchObject([
      [
        "waybill.deserialization_attempt",
        {
          "waybill.serializer": "json",
          "waybill.serializer.position": 0,
          "waybill.stage": "decode",
          "waybill.reason": "malformed",
        },
      ],
      ["waybill.deserialization", { "waybill.outcome": "undeserializable" }],
      ["waybill.undeserializable", { "waybill.disposition": "deadLettered" }],
      ["exception", {}],
    ]);
    expect(process.attributes["error.type"]).toBe("deserialization-failed");
    expect(sdk.spans().map(({ name }) => name)).toContain("dead_letter orders");
    expect(
      JSON.stringify(sdk.spans().map(({ events, attributes }) => ({ events, attributes }))),
    ).not.toContain("s3cret");
  });
});

describe("receiving with calls", () => {
  it("creates a span that is linked to each message and includes their deserialization", async () => {
    await using sdk = registerSdk();
    await using fixture = await openFixture({ diagnostics: openTelemetry() });
    await fixture.client.createSender("news").sendMessages([{ body: {} }, { body: {} }]);
    const receiver = fixture.client.createReceiver("news", "all");
    const messages = await receiver.receiveMessages(9);
    await receiver.completeMessage(messages[0]!);
    const spans = sdk.spans();
    const receive = spans.find(({ attributes }) => attributes["messaging.operation.type"] === "receive")!;
    expect(receive).toMatchObject({ name: `receive ${receiver.entityPath}`, kind: SpanKind.CLIENT });
    expect(receive.attributes).toMatchObject({
      "messaging.destination.name": "news",
      "messaging.destination.subscription.name": "all",
      "messaging.batch.message_count": 2,
    });
    const creates = spans.filter(({ name }) => name === "create news");
    expect(receive.links.map(linked)).toEqual(creates.map((span) => span.spanContext().spanId));
    expect(receive.events.map(({ name }) => name)).toEqual([
      "waybill.deserialization",
      "waybill.deserialization",
    ]);
    const settle = spans.at(-1)!;
    expect(settle.links.map(linked)).toEqual([creates[0]!.spanContext().spanId]);
  });

  it("creates no span for a call without messages", async () => {
    await using sdk = registerSdk();
    await using fixture = await openFixture({ diagnostics: openTelemetry() });
    await fixture.client.createReceiver("orders").receiveMessages(1, { maxWaitTimeInMs: 0 });
    expect(sdk.spans()).toEqual([]);
  });
});

describe("without an SDK", () => {
  it("does nothing, and starts as soon as one is registered", async () => {
    const diagnostics = openTelemetry();
    await using fixture = await openFixture({ diagnostics });
    expect(diagnostics.trace).toBeUndefined();
    expect(diagnostics.onEvent).toBeUndefined();
    await fixture.client.createSender("orders").sendMessages({ body: {} });
    const [peeked] = await fixture.client.createReceiver("orders").peekMessages(1);
    expect(peeked!.applicationProperties).toEqual({});
    await using sdk = registerSdk();
    await fixture.client.createSender("orders").sendMessages({ body: {} });
    expect(sdk.spans().map(({ name }) => name)).toEqual(["send orders"]);
    expect(await sdk.points("messaging.client.sent.messages")).toHaveLength(1);
  });
});

interface Subscribable {
  subscribe(handlers: { processMessage(): unknown; processError(): void }): { close(): Promise<void> };
}

/** Subscribes until a number of messages are processed. */
async function handle(receiver: unknown, handler: () => unknown, spans: () => ReadableSpan[], count = 1) {
  const subscription = (receiver as Subscribable).subscribe({
    processMessage: async () => {
      await handler();
    },
    processError() {},
  });
  await until(() => spans().filter(({ name }) => name.startsWith("process ")).length === count);
  await subscription.close();
}

function linked({
  context,
}: {
  context: { spanId: string };
  attributes?: Record<string, AttributeValue | undefined>;
}) {
  return context.spanId;
}
