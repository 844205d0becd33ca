import { type Instrumenter, useInstrumenter } from "@azure/core-tracing";
import { WaybillClient } from "@waybill/core";
import type { DiagnosticEvent, TracedOperation } from "@waybill/core/diagnostics";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Environment, openServerEnvironment } from "./environments.test-support.js";

const ours = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const theirs = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

describe("the tracing of the SDK", () => {
  const spans: string[] = [];
  let environment: Environment;

  beforeAll(async () => {
    useInstrumenter(recorder(spans));
    environment = await openServerEnvironment();
  });

  afterAll(async () => {
    await environment[Symbol.asyncDispose]();
    useInstrumenter(recorder([], false));
  });

  it("adds no second context to messages that have one of the client", async () => {
    await using fixture = await environment.subject.create();
    const queue = await fixture.createQueue(plain);
    const trace = ({ type }: TracedOperation) => {
      if (type !== "send" && type !== "create") return undefined;
      const propertiesToAdd = { "Diagnostic-Id": ours, traceparent: ours };
      return { run: <T>(work: () => T) => work(), end() {}, propertiesToAdd };
    };
    const client = new WaybillClient(fixture.transport, { serializer: json, diagnostics: { trace } });
    const sender = client.createSender(queue);
    spans.length = 0;
    await sender.sendMessages({ body: 1 });
    await sender.sendMessages([{ body: 2 }, { body: 3 }]);
    expect(spans).toEqual(["ServiceBusSender.send", "ServiceBusSender.send"]);
    const messages = await client.createReceiver(queue).peekMessages(9);
    expect(messages.map(({ applicationProperties }) => applicationProperties)).toEqual(
      [1, 2, 3].map(() => ({ "Diagnostic-Id": ours, traceparent: ours })),
    );
  });

  it("writes the context that a client reads if the client writes none", async () => {
    await using fixture = await environment.subject.create();
    const queue = await fixture.createQueue(plain);
    const events: DiagnosticEvent[] = [];
    const diagnostics = { onEvent: (event: DiagnosticEvent) => void events.push(event) };
    const client = new WaybillClient(fixture.transport, { serializer: json, diagnostics });
    spans.length = 0;
    await client.createSender(queue).sendMessages([{ body: 1 }, { body: 2 }]);
    expect(spans).toEqual(["message", "message", "ServiceBusSender.send"]);
    await client.createReceiver(queue).receiveMessages(2);
    const read = events.flatMap((event) => (event.type === "deserialize" ? event.message.traceparent : []));
    expect(read).toEqual([theirs, theirs]);
  });

  it("records every kind of settlement", async () => {
    await using fixture = await environment.subject.create();
    const queue = await fixture.createQueue(plain);
    const client = new WaybillClient(fixture.transport, { serializer: json });
    const receiver = client.createReceiver(queue);
    await client.createSender(queue).sendMessages([{ body: 1 }, { body: 2 }, { body: 3 }, { body: 4 }]);
    const [a, b, c, d] = await receiver.receiveMessages(4);
    spans.length = 0;
    await receiver.completeMessage(a!);
    await receiver.abandonMessage(b!);
    await receiver.deferMessage(c!);
    await receiver.deadLetterMessage(d!);
    expect(spans).toEqual([
      "ServicebusReceiver.complete",
      "ServicebusReceiver.abandon",
      "ServiceBusReceiver.defer",
      "ServiceBusReceiver.deadLetter",
    ]);
  });
});

const plain = { lockDurationMs: 5_000, maxDeliveryCount: 10, requiresSession: false };

const json = {
  name: "json",
  mediaTypes: ["application/json"],
  detection: "label",
  serialize: (value: unknown) => ({ bytes: new TextEncoder().encode(JSON.stringify(value)) }),
  deserialize: (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes)),
} as const;

/** An instrumenter for the SDK: records the names of spans, whose context is always the same. */
function recorder(spans: string[], isRecording = true): Instrumenter {
  return {
    startSpan(name, { tracingContext }) {
      spans.push(name);
      const span = {
        isRecording: () => isRecording,
        setStatus() {},
        setAttribute() {},
        recordException() {},
        end() {},
      };
      return { span, tracingContext: tracingContext ?? emptyContext };
    },
    withContext: (_, callback, ...callbackArgs) => callback(...callbackArgs),
    parseTraceparentHeader: () => undefined,
    createRequestHeaders: () => ({ traceparent: theirs }),
  };
}

const emptyContext = {
  setValue: () => emptyContext,
  getValue: () => undefined,
  deleteValue: () => emptyContext,
};
