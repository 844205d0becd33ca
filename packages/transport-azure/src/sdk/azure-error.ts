import { type ErrorCode, WaybillError } from "@waybill/core";

/** The SDK's own codes. Errors with `GeneralError` carry another code at the start of their text. */
const codes: Readonly<Record<string, ErrorCode>> = {
  MessageLockLost: "message-lock-lost",
  MessageNotFound: "message-not-found",
  MessageSizeExceeded: "message-too-large",
  MessagingEntityAlreadyExists: "entity-already-exists",
  MessagingEntityDisabled: "entity-disabled",
  MessagingEntityNotFound: "entity-not-found",
  QuotaExceeded: "quota-exceeded",
  ServiceBusy: "service-busy",
  ServiceCommunicationProblem: "connection-lost",
  ServiceTimeout: "timeout",
  SessionCannotBeLocked: "session-cannot-be-locked",
  SessionLockLost: "session-lock-lost",
  UnauthorizedAccess: "unauthorized",
  // Codes of core-amqp that the SDK does not translate.
  ArgumentError: "operation-invalid",
  ArgumentOutOfRangeError: "operation-invalid",
  ConnectionForced: "connection-lost",
  ConnectionLostError: "connection-lost",
  DecodeError: "operation-invalid",
  DetachForcedError: "connection-lost",
  InsufficientCreditError: "service-busy",
  InvalidFieldError: "operation-invalid",
  InvalidOperationError: "operation-invalid",
  NotImplementedError: "not-supported",
  OperationCancelledError: "connection-lost",
  OperationTimeoutError: "timeout",
  PreconditionFailedError: "operation-invalid",
  ResourceDeletedError: "entity-not-found",
  ResourceLockedError: "session-cannot-be-locked",
  SenderBusyError: "service-busy",
  SenderNotReadyError: "connection-lost",
  TransferLimitExceededError: "service-busy",
  // Codes that core-amqp and the SDK name differently.
  MessageTooLargeError: "message-too-large",
  ServerBusyError: "service-busy",
  ServiceCommunicationError: "connection-lost",
  ServiceUnavailableError: "timeout",
  UnauthorizedError: "unauthorized",
};

/** AMQP conditions that arrive untranslated by the SDK. */
const conditions: Readonly<Record<string, ErrorCode>> = {
  "amqp:connection:forced": "connection-lost",
  "amqp:internal-error": "internal",
  "amqp:link:detach-forced": "connection-lost",
  "amqp:link:message-size-exceeded": "message-too-large",
  "amqp:not-allowed": "operation-invalid",
  "amqp:not-found": "entity-not-found",
  "amqp:not-implemented": "not-supported",
  "amqp:precondition-failed": "operation-invalid",
  "amqp:resource-limit-exceeded": "quota-exceeded",
  "amqp:unauthorized-access": "unauthorized",
  "com.microsoft:argument-error": "operation-invalid",
  "com.microsoft:argument-out-of-range": "operation-invalid",
  "com.microsoft:entity-disabled": "entity-disabled",
  "com.microsoft:message-lock-lost": "message-lock-lost",
  "com.microsoft:message-not-found": "message-not-found",
  "com.microsoft:operation-cancelled": "connection-lost",
  "com.microsoft:server-busy": "service-busy",
  "com.microsoft:session-cannot-be-locked": "session-cannot-be-locked",
  "com.microsoft:session-lock-lost": "session-lock-lost",
  "com.microsoft:timeout": "timeout",
};

/** Plain errors of the SDK without a code, by text. */
const texts: readonly (readonly [RegExp, ErrorCode])[] = [
  [/already settled/, "message-lock-lost"],
  [/has been closed and can no longer be used|AMQP connection is closed/, "closed"],
  [/already receiving/, "operation-invalid"],
  [
    /^Link closed before|Failed to connect|error occurred on the AMQP connection|[Cc]onnection is reopening|not open|[Cc]onnection (?:got disconnected|.*closed)|^Unable to open the amqp connection/,
    "connection-lost",
  ],
  // The error itself was lost when its connection ended, or the SDK's link to `$management` was: it then calls `sendRequest` of nothing.
  [/^Unknown error encountered|CBS link does not exist|reading 'sendRequest'/, "connection-lost"],
  [/^Length of '|EntityPath|^Max message size/, "operation-invalid"],
];

/** Turns anything the SDK throws into a `WaybillError`; the only place where its codes are mapped. */
export function toAzureError(error: unknown, entityPath: string): WaybillError {
  if (error instanceof WaybillError) return error;
  if (error instanceof AggregateError && error.errors.length > 0) {
    // An aggregate of one error per attempt; the last one is the outcome.
    return toAzureError(error.errors.at(-1), entityPath);
  }
  const code = codeOf(error);
  if (code === undefined) return WaybillError.from(error, "internal", { entityPath });
  return new WaybillError(code, (error as Error).message, { cause: error, entityPath });
}

/** The error of a call on a closed object. */
export function closedError(entityPath: string): WaybillError {
  return new WaybillError("closed", "The client, sender or receiver is closed.", { entityPath });
}

/** The error of a call aborted by its signal. */
export function abortedError(entityPath: string): WaybillError {
  return new WaybillError("aborted", "The operation was aborted.", { entityPath });
}

/** The error of a call whose link the SDK no longer restores. */
export function lostError(cause: unknown, entityPath: string): WaybillError {
  return new WaybillError("connection-lost", "The link was lost.", { cause, entityPath });
}

/** The error of settling in a session whose link, and with it the lock, is lost. */
export function lostSessionError(entityPath: string): WaybillError {
  return new WaybillError("session-lock-lost", "The link that held the session was lost.", { entityPath });
}

/** The error of settling in a session when the broker does not answer. */
export function unansweredError(entityPath: string): WaybillError {
  return new WaybillError("timeout", "The broker did not answer the settlement.", { entityPath });
}

/** The error of settling a message a second time. */
export function settledError(entityPath: string): WaybillError {
  return new WaybillError("message-lock-lost", "The message is already settled, or its lock has expired.", {
    entityPath,
  });
}

function codeOf(error: unknown): ErrorCode | undefined {
  if (!(error instanceof Error) || error.name === "AbortError") return undefined;
  const { code, condition, message, syscall, statusCode } = error as Error &
    Partial<Record<"code" | "condition" | "syscall" | "statusCode", unknown>>;
  if (typeof syscall === "string") return "connection-lost";
  if (typeof condition === "string" && Object.hasOwn(conditions, condition)) return conditions[condition];
  if (error.name === "RestError") return restCode(statusCode);
  const name = code === "GeneralError" ? /^(\w+): /.exec(message)?.[1] : (code ?? error.name);
  if (typeof name === "string") {
    // Codes of core-amqp end in "Error", those of the SDK do not.
    const known = codes[name] ?? codes[name.replace(/Error$/, "")];
    if (known !== undefined) return known;
  }
  return texts.find(([pattern]) => pattern.test(message))?.[1];
}

/** Maps HTTP statuses of the management API; undefined means no response. */
function restCode(status: unknown): ErrorCode {
  if (typeof status !== "number") return "connection-lost";
  if (status === 401 || status === 403) return "unauthorized";
  if (status === 404) return "entity-not-found";
  return status === 429 || status >= 500 ? "service-busy" : "operation-invalid";
}
