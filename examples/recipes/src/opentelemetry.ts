import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { createBroker } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import { openTelemetry } from "@waybill/opentelemetry";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";

// An application registers the SDK of its choice; this one keeps spans in memory.
const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const broker = createBroker();
await broker.createQueue("orders");
await broker.createQueue("invoices");

// #region client
const client = new WaybillClient(localTransport(broker), {
  serializer: json(),
  diagnostics: openTelemetry(),
});
const invoices = client.createSender("invoices");
await client.createSender("orders").sendMessages({ body: { order: 1 } });
await new Promise<void>((resolve) => {
  client.createReceiver("orders").subscribe({
    async processMessage(order) {
      await invoices.sendMessages({ body: { invoiceFor: order.messageId } });
      resolve();
    },
    processError() {},
  });
});
await client.close();
// #endregion

const spans = exporter.getFinishedSpans();
const nameOf = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
for (const { name, parentSpanContext } of spans.toReversed()) {
  console.log(name, "in", nameOf.get(parentSpanContext?.spanId ?? "") ?? "no other span");
}
// process orders in send orders
// complete orders in process orders
// send invoices in process orders
// send orders in no other span
