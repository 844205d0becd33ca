import { BrokerError } from "@waybill/broker";
import { serviceErrors } from "../refusals/error.js";
import { brokerText, type ErrorOrigin, tracked } from "../refusals/service-text.js";
import { HttpRefusal } from "./http-refusal.js";
import type { HttpResponse } from "./http-request.js";
import { buildXml } from "./xml.js";

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
    const [status, subCode] = serviceErrors[error.code].http;
    const text = `SubCode=${subCode}. ${brokerText(error, origin)}`;
    return { status, detail: tracked(text, origin, error.entity) };
  }
  const text = "The server failed to do this. Nothing about the request explains it.";
  return { status: 500, detail: tracked(text, origin) };
}
