import { BrokerError, type BrokerErrorCode } from "@waybill/broker";
import { type ErrorCode, WaybillError } from "@waybill/core";

/** The client's error code for each error code of the broker. */
const codes = {
  "argument-error": "operation-invalid",
  "broker-closed": "closed",
  cancelled: "aborted",
  "entity-already-exists": "entity-already-exists",
  "entity-disabled": "entity-disabled",
  "entity-not-found": "entity-not-found",
  "link-detached": "connection-lost",
  "message-lock-lost": "message-lock-lost",
  "message-not-found": "message-not-found",
  "message-size-exceeded": "message-too-large",
  "not-allowed": "operation-invalid",
  "quota-exceeded": "quota-exceeded",
  "rule-not-found": "entity-not-found",
  "server-busy": "service-busy",
  "session-cannot-be-locked": "session-cannot-be-locked",
  "session-lock-lost": "session-lock-lost",
  "storage-failed": "internal",
  "storage-in-use": "internal",
  "storage-unreadable": "internal",
  timeout: "timeout",
  "transaction-not-found": "operation-invalid",
  "transaction-timeout": "timeout",
} as const satisfies Record<BrokerErrorCode, ErrorCode>;

/** Turns anything the broker throws into a `WaybillError`; the only place where its codes are mapped. */
export function toLocalError(error: unknown, entityPath: string): WaybillError {
  if (!(error instanceof BrokerError)) return WaybillError.from(error, "internal", { entityPath });
  return new WaybillError(codes[error.code], error.message, {
    cause: error,
    entityPath: error.entity ?? entityPath,
  });
}

/** The error of a call on a closed object. */
export function closedError(entityPath: string): WaybillError {
  return new WaybillError("closed", "The client, sender or receiver is closed.", { entityPath });
}

/** Throws `aborted` if the signal is already aborted. */
export function throwIfAborted(signal: AbortSignal | undefined, entityPath: string): void {
  if (signal?.aborted) throw new WaybillError("aborted", "The operation was aborted.", { entityPath });
}
