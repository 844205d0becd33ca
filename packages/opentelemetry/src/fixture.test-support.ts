import { context, metrics, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { createBroker, createManualClock } from "@waybill/broker";
import { WaybillClient, type WaybillClientOptions } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";

/** Registers the SDK of OpenTelemetry like an application, with exporters in memory. */
export function registerSdk() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({
    exporter: metricExporter,
    exportIntervalMillis: 2 ** 30,
  });
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  return {
    spans: (): ReadableSpan[] => exporter.getFinishedSpans(),
    /** The data points of an instrument. */
    async points(name: string) {
      await reader.forceFlush();
      return metricExporter
        .getMetrics()
        .at(-1)!
        .scopeMetrics.flatMap((scope) => scope.metrics)
        .filter(({ descriptor }) => descriptor.name === name)
        .flatMap(({ dataPoints }) => dataPoints.map(({ attributes, value }) => ({ attributes, value })));
    },
    async [Symbol.asyncDispose]() {
      trace.disable();
      context.disable();
      metrics.disable();
      await reader.shutdown();
    },
  };
}

/** A broker with a queue and a topic, and a client on it. */
export async function openFixture(options: Partial<WaybillClientOptions>) {
  const clock = createManualClock();
  const broker = createBroker({ clock });
  await broker.createQueue("orders");
  await broker.createTopic("news");
  await broker.createSubscription("news", "all");
  const client = new WaybillClient(localTransport(broker), { serializer: json(), ...options });
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await broker.close();
    },
  };
}

/** Runs the event loop until a condition is true; fails after ten seconds. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
