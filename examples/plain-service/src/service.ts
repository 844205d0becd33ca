import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json as readJson } from "node:stream/consumers";
import { type ReceivedMessage, type Transport, WaybillClient } from "@waybill/core";
import { openTelemetry } from "@waybill/opentelemetry";
import { json } from "@waybill/serializer-json";

/** A running service. */
export interface Service {
  readonly url: string;
  /** Stops receiving, waits for running handlers, then closes. */
  stop(): Promise<void>;
}

// #region service
/** Handles the queue `orders`, and sends to it what is posted to `/orders`. */
export async function startService(
  transport: Transport,
  port: number,
  handle: (message: ReceivedMessage) => Promise<void>,
): Promise<Service> {
  const client = new WaybillClient(transport, { serializer: json(), diagnostics: openTelemetry() });
  const orders = client.createSender("orders");
  const subscription = client.subscribe(
    "orders",
    { processMessage: handle, processError: ({ error, errorSource }) => console.error(errorSource, error) },
    // Less than terminationGracePeriodSeconds of the pod, which is 30 seconds by default.
    { maxConcurrentCalls: 8, closeTimeoutInMs: 20_000 },
  );
  let isStopping = false;

  const server = createServer(async (request, response) => {
    if (request.url === "/live") return answer(response, 200, { status: "live" });
    if (request.url === "/ready") {
      const { status, openCircuits } = client.health();
      const isReady = status === "ready" && !isStopping;
      return answer(response, isReady ? 200 : 503, { status, isStopping, openCircuits: openCircuits.length });
    }
    if (request.url === "/orders" && request.method === "POST") return place(request, response);
    answer(response, 404, {});
  });

  async function place(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await orders.sendMessages({ body: await readJson(request) });
      answer(response, 202, {});
    } catch (error) {
      console.error(error);
      answer(response, 500, {});
    }
  }

  async function stop(): Promise<void> {
    // The orchestrator stops to route requests here while handlers finish.
    isStopping = true;
    await subscription.close();
    server.close();
    server.closeIdleConnections();
    await client.close();
  }

  server.listen(port);
  await once(server, "listening");
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, stop };
}
// #endregion

function answer(response: ServerResponse, statusCode: number, body: object): void {
  response.writeHead(statusCode, { "content-type": "application/json" }).end(JSON.stringify(body));
}
