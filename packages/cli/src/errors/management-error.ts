import { type ErrorCode, WaybillError } from "@waybill/core";
import { fromXmlText } from "@waybill/foundation";
import { refusalOf } from "./key-refusal.js";
import { UsageError } from "./usage-error.js";

/** The error of the administration client in waybill's codes, with the cause of a refusal in words; wrong usage stays what it is. */
export function managementError(error: unknown, entityPath?: string): unknown {
  if (error instanceof UsageError || error instanceof TypeError) return error;
  const where = entityPath === undefined ? {} : { entityPath };
  if (error instanceof WaybillError) {
    if (entityPath === undefined || error.entityPath !== undefined) return error;
    return new WaybillError(error.code, error.text, { ...where, cause: error });
  }
  const { statusCode, message } = error as { readonly statusCode?: number; readonly message: string };
  const text =
    statusCode === 401 ? `The management API refused the request: ${refusalOf(message)}` : plain(message);
  return new WaybillError(codeOf(statusCode), text, { ...where, cause: error });
}

/** The SDK leaves the escapes of XML in a text that it found in an answer. */
function plain(text: string): string {
  return fromXmlText(text).replace(/\r\n?/g, "\n");
}

function codeOf(statusCode: number | undefined): ErrorCode {
  switch (statusCode) {
    case 400:
      return "operation-invalid";
    case 401:
    case 403:
      return "unauthorized";
    case 404:
      return "entity-not-found";
    case 409:
      return "entity-already-exists";
    default:
      return "connection-lost";
  }
}
