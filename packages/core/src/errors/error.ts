import { quoted } from "@waybill/foundation";
import type { ReasonCode, Stage } from "./reason.js";
import type { SendResult } from "./send-result.js";

/**
 * Every code of a {@link WaybillError}, with whether the same call may succeed if it is retried. The set is closed and stable within a
 * major version; `docs/errors.md` has a heading for each.
 */
export const errorCodes = Object.freeze({
  aborted: false,
  closed: false,
  "configuration-invalid": false,
  "connection-lost": true,
  "deserialization-failed": false,
  "entity-already-exists": false,
  "entity-disabled": false,
  "entity-not-found": false,
  internal: false,
  "message-lock-lost": false,
  "message-not-found": false,
  "message-too-large": false,
  "not-supported": false,
  "operation-invalid": false,
  "partially-sent": false,
  "quota-exceeded": true,
  "serialization-failed": false,
  "service-busy": true,
  "session-cannot-be-locked": true,
  "session-lock-lost": false,
  timeout: true,
  unauthorized: false,
  unavailable: true,
});

/** One of the closed set of error codes; see {@link errorCodes}. */
export type ErrorCode = keyof typeof errorCodes;

/** What an error is about. Everything here is a name or a code: never payload, never a key. */
export interface ErrorDetails {
  /** The underlying error. */
  readonly cause?: unknown;
  /** Overrides the code's default for `retryable`. */
  readonly retryable?: boolean | undefined;
  /** The queue, topic or subscription path. */
  readonly entityPath?: string | undefined;
  /** The message's `messageId`. */
  readonly messageId?: unknown;
  /** The serializer's name. */
  readonly format?: string | undefined;
  /** The pipeline stage that failed. */
  readonly stage?: Stage | undefined;
  /** Why a body could not be read; set with `deserialization-failed` and `unavailable`. */
  readonly reason?: ReasonCode | undefined;
  /** What happened to each message of the call; set with `partially-sent`. */
  readonly sendResults?: readonly SendResult[] | undefined;
}

/**
 * The error class of waybill. `code` says what went wrong, `retryable` whether a retry may help, `cause` holds the underlying error;
 * `message` starts with the code because many tools print only the message. Programming mistakes are `TypeError`s instead.
 */
export class WaybillError extends Error {
  override readonly name = "WaybillError";
  readonly code: ErrorCode;
  /** The message without the code and the names in front of it. */
  readonly text: string;
  /** Whether the same call may succeed if it is repeated. */
  readonly retryable: boolean;
  /** The queue, topic or subscription path. Like the members below, undefined where it does not apply. */
  readonly entityPath: string | undefined;
  readonly messageId: unknown;
  /** The serializer's name. */
  readonly format: string | undefined;
  /** The pipeline stage that failed. */
  readonly stage: Stage | undefined;
  /** Why a body could not be read; set with `deserialization-failed` and `unavailable`. */
  readonly reason: ReasonCode | undefined;
  /** What happened to each message of the call; set with `partially-sent`. */
  readonly sendResults: readonly SendResult[] | undefined;

  constructor(code: ErrorCode, text: string, details: ErrorDetails = {}) {
    super(
      `[${code}] ${subject(details)}${text}`,
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.code = code;
    this.text = text;
    this.retryable = details.retryable ?? errorCodes[code];
    this.entityPath = details.entityPath;
    this.messageId = details.messageId;
    this.format = details.format;
    this.stage = details.stage;
    this.reason = details.reason;
    this.sendResults = details.sendResults;
  }

  /** Makes `instanceof` work across two installed copies of this package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return (
      isNamed(value, "WaybillError") &&
      typeof (value as WaybillError).code === "string" &&
      Object.hasOwn(errorCodes, (value as WaybillError).code)
    );
  }

  /** Returns a `WaybillError` as it is and wraps anything else under the given code. */
  static from(error: unknown, code: ErrorCode = "internal", details: ErrorDetails = {}): WaybillError {
    if (error instanceof WaybillError) return error;
    if (isNamed(error, "AbortError"))
      return new WaybillError("aborted", "The operation was aborted.", { ...details, cause: error });
    const text =
      error instanceof Error ? `${error.name}: ${error.message}` : "A value that is not an error was thrown.";
    return new WaybillError(code, text, { ...details, cause: error });
  }
}

/** Whether a value is an error of this name: for classes of which there may be two installed copies. */
export function isNamed(value: unknown, name: string): value is Error {
  return (
    value instanceof Object &&
    Object.prototype.isPrototypeOf.call(Error.prototype, value) &&
    (value as Error).name === name
  );
}

/** Whether a value is a `WaybillError` with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly ErrorCode[]): error is WaybillError {
  return error instanceof WaybillError && codes.includes(error.code);
}

function subject(details: ErrorDetails): string {
  const parts: string[] = [];
  if (details.messageId !== undefined) parts.push(`message ${quote(details.messageId)}`);
  if (details.entityPath !== undefined) parts.push(`entity ${quote(details.entityPath)}`);
  if (details.format !== undefined) parts.push(details.format);
  if (details.stage !== undefined) parts.push(details.stage);
  return parts.length === 0 ? "" : `${parts.join(", ")}: `;
}

function quote(value: unknown): string {
  return quoted(value instanceof Uint8Array ? `${value.length} bytes` : String(value));
}
