import { BrokerError, type BrokerErrorCode } from "@waybill/broker";
import { brokerText, type ErrorOrigin, tracked } from "../refusals/service-text.js";
import { HttpRefusal } from "./http-refusal.js";
import type { HttpResponse } from "./http-request.js";
import { buildXml } from "./xml.js";

/** The service's status and sub-code for each error of the broker. Source: "Service Bus resource manager exceptions". */
const STATUSES: Readonly<Record<BrokerErrorCode, readonly [status: number, subCode: number]>> = {
  "argument-error": [400, 40000],
  "broker-closed": [503, 50300],
  cancelled: [408, 40800],
  "entity-already-exists": [409, 40900],
  "entity-disabled": [403, 40301],
  "entity-not-found": [404, 40400],
  "link-detached": [503, 50300],
  "message-lock-lost": [404, 40400],
  "message-not-found": [404, 40400],
  "message-size-exceeded": [403, 40300],
  "not-allowed": [400, 40000],
  "quota-exceeded": [403, 40300],
  "rule-not-found": [404, 40400],
  "server-busy": [503, 50004],
  "session-cannot-be-locked": [409, 40901],
  "session-lock-lost": [410, 41000],
  "storage-failed": [500, 50000],
  "storage-in-use": [500, 50000],
  "storage-unreadable": [500, 50000],
  timeout: [408, 40800],
  "transaction-not-found": [404, 40400],
  "transaction-timeout": [408, 40800],
};

/** Converts errors to HTTP responses; the only place. Unexpected errors are defects, whose details the client must not see. */
export function toErrorResponse(error: unknown, origin: ErrorOrigin): HttpResponse {
  const { status, detail } = toHttpError(error, origin);
  const body = buildXml({
    name: "Error",
    content: [
      { name: "Code", content: String(status) },
      { name: "Detail", content: detail },
    ],
  });
  return { status, headers: [["Content-Type", "application/xml; charset=utf-8"]], body };
}

function toHttpError(
  error: unknown,
  origin: ErrorOrigin,
): { readonly status: number; readonly detail: string } {
  if (error instanceof HttpRefusal) return { status: error.status, detail: tracked(error.message, origin) };
  if (error instanceof BrokerError) {
    const [status, subCode] = STATUSES[error.code];
    const text = `SubCode=${subCode}. ${brokerText(error, origin)}`;
    return { status, detail: tracked(text, origin, error.entity) };
  }
  const text = "The server failed to do this. Nothing about the request explains it.";
  return { status: 500, detail: tracked(text, origin) };
}
