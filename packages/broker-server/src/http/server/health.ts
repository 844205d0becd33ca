import { type Broker, BrokerError } from "@waybill/broker";
import type { HttpRequest, HttpResponse } from "../http-request.js";

/** Whether a request asks for the server's health, as with the official emulator, and not for an entity called `health`. */
export function asksForHealth({ method, segments, headers, query }: HttpRequest): boolean {
  const isAddress = segments.length === 1 && segments[0] === "health";
  const isRead = method === "GET" || method === "HEAD";
  return isAddress && isRead && headers.authorization === undefined && !query.has("api-version");
}

/** 200 while the broker works; 503 after it was closed or its storage failed. */
export function reportHealth(broker: Broker): HttpResponse {
  const isHealthy = works(broker);
  const body = isHealthy
    ? { status: "healthy", message: "waybill broker: healthy" }
    : { status: "unhealthy", message: "waybill broker: stopped" };
  return {
    status: isHealthy ? 200 : 503,
    headers: [
      ["Content-Type", "application/json"],
      ["Cache-Control", "no-store"],
    ],
    body: JSON.stringify(body),
  };
}

/** Looks up an empty name, which no entity has; a stopped broker throws another error. */
function works(broker: Broker): boolean {
  try {
    broker.getEntity("");
    return true;
  } catch (error) {
    return error instanceof BrokerError && error.code === "entity-not-found";
  }
}
