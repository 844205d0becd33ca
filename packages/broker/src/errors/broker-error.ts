/**
 * Why the broker refused a request. The set is closed; front ends map each code to an error condition of their protocol.
 * Requests refused with `server-busy`, `timeout` or `link-detached` can be retried; after `storage-failed` the broker has stopped.
 */
export type BrokerErrorCode =
  | "argument-error"
  | "broker-closed"
  | "cancelled"
  | "entity-already-exists"
  | "entity-disabled"
  | "entity-not-found"
  | "link-detached"
  | "message-lock-lost"
  | "message-not-found"
  | "message-size-exceeded"
  | "not-allowed"
  | "quota-exceeded"
  | "rule-not-found"
  | "server-busy"
  | "session-cannot-be-locked"
  | "session-lock-lost"
  | "storage-failed"
  | "storage-in-use"
  | "storage-unreadable"
  | "timeout"
  | "transaction-not-found"
  | "transaction-timeout";

const retryable: ReadonlySet<BrokerErrorCode> = new Set(["server-busy", "timeout", "link-detached"]);

/** A property of an entity whose value is refused, because it is out of its range or fixed at creation. */
export interface RefusedProperty {
  /** Its name in the entity's options. */
  readonly name: string;
  readonly value: unknown;
  /** The smallest and largest value, of numbers and durations. */
  readonly range?: readonly [least: number, most: number];
}

interface BrokerErrorDetails {
  readonly entity?: string;
  readonly property?: RefusedProperty | undefined;
  readonly cause?: unknown;
}

/**
 * The only error with which the broker refuses requests. Invalid entity options are `argument-error`, other programming mistakes
 * `TypeError`s.
 */
export class BrokerError extends Error {
  override readonly name = "BrokerError";
  readonly code: BrokerErrorCode;
  /** Path of the entity that the request was about, if any. */
  readonly entity: string | undefined;
  /** The property whose value is refused, if that is the reason. */
  readonly property: RefusedProperty | undefined;

  constructor(code: BrokerErrorCode, text: string, details: BrokerErrorDetails = {}) {
    super(text, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.entity = details.entity;
    this.property = details.property;
  }

  /** Whether the same request may succeed if it is retried. */
  get isRetryable(): boolean {
    return retryable.has(this.code);
  }
}

/** The error for a request about an entity. */
export function refusal(
  entity: string,
  code: BrokerErrorCode,
  text: string,
  property?: RefusedProperty,
): BrokerError {
  return new BrokerError(code, text, { entity, property });
}

/** The error for an unknown path, in the service's wording, by which SDKs recognise it. */
export function entityNotFound(path: string): BrokerError {
  return refusal(path, "entity-not-found", `The messaging entity '${path}' could not be found.`);
}

/** The error for a message whose lock has expired, was released or never existed. */
export function messageLockLost(entity: string, what: string): BrokerError {
  const text = `The lock on ${what} of '${entity}' is lost: it expired, was released, or the message is already settled.`;
  return refusal(entity, "message-lock-lost", `${text} Receive the message again.`);
}

/** The error for a session whose lock has expired or was released. */
export function sessionLockLost(entity: string, sessionId: string): BrokerError {
  const text = `The lock on session '${sessionId}' of '${entity}' is lost: it expired or was released.`;
  return refusal(entity, "session-lock-lost", `${text} Accept the session again.`);
}

/** The error for a sequence number without a message in the expected state. */
export function messageNotFound(entity: string, sequenceNumber: bigint, state: string): BrokerError {
  const text = `There is no ${state} message with sequence number ${sequenceNumber} in '${entity}'.`;
  return refusal(entity, "message-not-found", text);
}
