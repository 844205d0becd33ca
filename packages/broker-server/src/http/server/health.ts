import { type Broker, BrokerError } from "@waybill/broker";
import type { HttpRequest, HttpResponse } from "../http-request.js";

/** Whether a request asks for the server's health, as with the official emulator, and not for an entity called `health`. */
export function asksForHealth({ method, segments, headers, query }: HttpRequest): boolean {
  const isAddress = segments.length === 1 && segments[0] === "health";
  const isRead = method === "GET" || method === "HEAD";
  return isAddress && isRead && headers.authorization === undefined && !query.has("api-version");
}

/** 200 while the broker works; 503 after it was closed or, with the reason, while its disk cannot be written. */
export function reportHealth(broker: Broker): HttpResponse {
  const failure = failureOf(broker);
  return {
    status: failure === undefined ? 200 : 503,
    headers: [
      ["Content-Type", "application/json"],
      ["Cache-Control", "no-store"],
    ],
    body: JSON.stringify(toHealth(failure)),
  };
}

function toHealth(failure: BrokerError | undefined): { readonly status: string; readonly message: string } {
  if (failure === undefined) return { status: "healthy", message: "waybill broker: healthy" };
  if (failure.code === "storage-failed")
    return { status: "degraded", message: `waybill broker: ${failure.message}` };
  return { status: "unhealthy", message: "waybill broker: stopped" };
}

/** Looks up an empty name, which no entity has; a stopped broker throws why it stopped. */
function failureOf(broker: Broker): BrokerError | undefined {
  try {
    broker.getEntity("");
  } catch (error) {
    if (!(error instanceof BrokerError)) throw error;
    if (error.code !== "entity-not-found") return error;
  }
  return undefined;
}
