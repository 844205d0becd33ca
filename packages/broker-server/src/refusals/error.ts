import { AmqpDecodeError, type AmqpError } from "@waybill/amqp";
import { BrokerError, type BrokerErrorCode } from "@waybill/broker";
import { addressOf, brokerText, type ErrorOrigin, tracked } from "./service-text.js";

/** The service's condition and management status for each error of the broker. */
const CONDITIONS: Readonly<Record<BrokerErrorCode, readonly [condition: string, statusCode: number]>> = {
  "argument-error": ["com.microsoft:argument-error", 400],
  "broker-closed": ["amqp:connection:forced", 503],
  cancelled: ["com.microsoft:operation-cancelled", 408],
  "entity-already-exists": ["com.microsoft:entity-already-exists", 409],
  "entity-disabled": ["com.microsoft:entity-disabled", 403],
  "entity-not-found": ["amqp:not-found", 404],
  "link-detached": ["amqp:link:detach-forced", 503],
  "message-lock-lost": ["com.microsoft:message-lock-lost", 410],
  "message-not-found": ["com.microsoft:message-not-found", 404],
  "message-size-exceeded": ["amqp:link:message-size-exceeded", 400],
  "not-allowed": ["amqp:not-allowed", 400],
  "quota-exceeded": ["amqp:resource-limit-exceeded", 403],
  "rule-not-found": ["amqp:not-found", 404],
  "server-busy": ["com.microsoft:server-busy", 503],
  "session-cannot-be-locked": ["com.microsoft:session-cannot-be-locked", 409],
  "session-lock-lost": ["com.microsoft:session-lock-lost", 410],
  "storage-failed": ["amqp:internal-error", 500],
  "storage-in-use": ["amqp:internal-error", 500],
  "storage-unreadable": ["amqp:internal-error", 500],
  timeout: ["com.microsoft:timeout", 408],
  "transaction-not-found": ["amqp:transaction:unknown-id", 404],
  "transaction-timeout": ["amqp:transaction:timeout", 408],
};

/** An error of the AMQP layer itself, with its condition and management status. */
export class AmqpRefusal extends Error {
  override readonly name = "AmqpRefusal";
  readonly condition: string;
  readonly statusCode: number;
  /** The entity for which a right is missing; the error contains its full address. */
  readonly resource: string | undefined;

  constructor(condition: string, text: string, statusCode = 400, resource?: string) {
    super(text);
    this.condition = condition;
    this.statusCode = statusCode;
    this.resource = resource;
  }
}

/** The error for a request with a missing field or one of the wrong type. */
export function badRequest(text: string): AmqpRefusal {
  return new AmqpRefusal("com.microsoft:argument-error", text);
}

/** The error for a client that uses more than it may. */
export function limitExceeded(text: string): AmqpRefusal {
  return new AmqpRefusal("amqp:resource-limit-exceeded", text, 403);
}

/** Converts errors to AMQP errors; the only place. Unexpected errors are defects, whose details the client must not see. */
export function toAmqpError(error: unknown, origin: ErrorOrigin): AmqpError {
  const { condition, description } = toRefusal(error, origin);
  return { condition, description };
}

/** An error in the response of a management node. */
export function toRefusal(
  error: unknown,
  origin: ErrorOrigin,
): { condition: string; description: string; statusCode: number } {
  if (error instanceof BrokerError) {
    const [condition, statusCode] = CONDITIONS[error.code];
    return { condition, statusCode, description: tracked(brokerText(error, origin), origin, error.entity) };
  }
  if (error instanceof AmqpRefusal) {
    const { condition, statusCode, message, resource } = error;
    const text = resource === undefined ? message : `${message} Resource: '${addressOf(resource, origin)}'.`;
    return { condition, statusCode, description: tracked(text, origin) };
  }
  if (error instanceof AmqpDecodeError) {
    return { condition: "amqp:decode-error", statusCode: 400, description: tracked(error.message, origin) };
  }
  return {
    condition: "amqp:internal-error",
    statusCode: 500,
    description: tracked("The server failed to do this. Nothing about the request explains it.", origin),
  };
}
