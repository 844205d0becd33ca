import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { tracing } from "@opentelemetry/sdk-node";
import { openTestNamespace } from "@waybill/testing";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { startService } from "./service.js";
import { startTelemetry } from "./telemetry.js";

const exporter = new tracing.InMemorySpanExporter();
const telemetry = startTelemetry({
  spanProcessors: [new tracing.SimpleSpanProcessor(exporter)],
  metricReaders: [],
  logRecordProcessors: [],
});
beforeEach(() => exporter.reset());
afterAll(() => telemetry.shutdown());

describe("the service", () => {
  it("is live and ready, and handles what is posted, in one trace", async () => {
    await using namespace = await openTestNamespace({ queues: ["orders"] });
    const handled: unknown[] = [];
    const service = await startService(namespace.transport, 0, async ({ body }) => void handled.push(body));
    expect((await fetch(`${service.url}/live`)).status).toBe(200);
    expect((await fetch(`${service.url}/ready`)).status).toBe(200);
    const posted = await fetch(`${service.url}/orders`, { method: "POST", body: '{"order":1}' });
    expect(posted.status).toBe(202);
    await namespace.settled("orders");
    expect(handled).toEqual([{ order: 1 }]);
    await service.stop();
    const spans = exporter.getFinishedSpans();
    expect(spans.map(({ name }) => name).sort()).toEqual([
      "complete orders",
      "process orders",
      "send orders",
    ]);
    expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(1);
  });

  it("is not ready while it stops, and lets running handlers finish", async () => {
    await using namespace = await openTestNamespace({ queues: ["orders"] });
    const steps: string[] = [];
    let finish = () => {};
    const service = await startService(namespace.transport, 0, async () => {
      steps.push("begin");
      await new Promise<void>((resolve) => (finish = resolve));
      steps.push("end");
    });
    await fetch(`${service.url}/orders`, { method: "POST", body: "{}" });
    await expect.poll(() => steps).toEqual(["begin"]);
    const stopping = service.stop().then(() => steps.push("stopped"));
    const ready = await fetch(`${service.url}/ready`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ isStopping: true });
    finish();
    await stopping;
    expect(steps).toEqual(["begin", "end", "stopped"]);
    await expect(fetch(`${service.url}/live`)).rejects.toThrow();
  });

  it("ends by itself after SIGTERM", async () => {
    await using namespace = await openTestNamespace({ queues: ["orders"], startAt: new Date() });
    const { connectionString } = await namespace.listen();
    const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));
    const child = spawn(process.execPath, [main], {
      env: {
        ...process.env,
        SERVICEBUS_CONNECTION_STRING: connectionString,
        PORT: "0",
        OTEL_SDK_DISABLED: "true",
      },
    });
    const [first] = (await once(child.stdout, "data")) as [Buffer];
    expect(String(first)).toMatch(/^ready: http/);
    child.kill("SIGTERM");
    const [code] = (await once(child, "exit")) as [number | null];
    expect(code).toBe(0);
  });
});
