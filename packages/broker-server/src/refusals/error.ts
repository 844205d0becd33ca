import { AmqpDecodeError, type AmqpError } from "@waybill/amqp";
import { BrokerError, type BrokerErrorCode } from "@waybill/broker";
import { addressOf, brokerText, type ErrorOrigin, tracked } from "./service-text.js";

/** How the service reports an error of the broker. */
interface ServiceError {
  /** The status is that of a management response. */
  readonly amqp: readonly [condition: string, statusCode: number];
  readonly http: readonly [status: number, subCode: number];
}

/** Sources: the conditions that SDKs know, and "Service Bus resource manager exceptions". */
export const serviceErrors: Readonly<Record<BrokerErrorCode, ServiceError>> = {
  "argument-error": { amqp: ["com.microsoft:argument-error", 400], http: [400, 40000] },
  "broker-closed": { amqp: ["amqp:connection:forced", 503], http: [503, 50300] },
  cancelled: { amqp: ["com.microsoft:operation-cancelled", 408], http: [408, 40800] },
  "entity-already-exists": { amqp: ["com.microsoft:entity-already-exists", 409], http: [409, 40900] },
  "entity-disabled": { amqp: ["com.microsoft:entity-disabled", 403], http: [403, 40301] },
  "entity-not-found": { amqp: ["amqp:not-found", 404], http: [404, 40400] },
  "link-detached": { amqp: ["amqp:link:detach-forced", 503], http: [503, 50300] },
  "message-lock-lost": { amqp: ["com.microsoft:message-lock-lost", 410], http: [404, 40400] },
  "message-not-found": { amqp: ["com.microsoft:message-not-found", 404], http: [404, 40400] },
  "message-size-exceeded": { amqp: ["amqp:link:message-size-exceeded", 400], http: [403, 40300] },
  "not-allowed": { amqp: ["amqp:not-allowed", 400], http: [400, 40000] },
  "quota-exceeded": { amqp: ["amqp:resource-limit-exceeded", 403], http: [403, 40300] },
  "rule-not-found": { amqp: ["amqp:not-found", 404], http: [404, 40400] },
  "server-busy": { amqp: ["com.microsoft:server-busy", 503], http: [503, 50004] },
  "session-cannot-be-locked": { amqp: ["com.microsoft:session-cannot-be-locked", 409], http: [409, 40901] },
  "session-lock-lost": { amqp: ["com.microsoft:session-lock-lost", 410], http: [410, 41000] },
  "storage-failed": { amqp: ["amqp:internal-error", 500], http: [500, 50000] },
  "storage-in-use": { amqp: ["amqp:internal-error", 500], http: [500, 50000] },
  "storage-unreadable": { amqp: ["amqp:internal-error", 500], http: [500, 50000] },
  timeout: { amqp: ["com.microsoft:timeout", 408], http: [408, 40800] },
  "transaction-not-found": { amqp: ["amqp:transaction:unknown-id", 404], http: [404, 40400] },
  "transaction-timeout": { amqp: ["amqp:transaction:timeout", 408], http: [408, 40800] },
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

/** The error for a client without a right, on the entity of `resource`. */
export function unauthorized(text: string, resource?: string): AmqpRefusal {
  return new AmqpRefusal("amqp:unauthorized-access", text, 401, resource);
}

/** The broker's error for an entity that does not exist. */
export function notFound(entity: string): BrokerError {
  return new BrokerError("entity-not-found", `The messaging entity '${entity}' could not be found.`, {
    entity,
  });
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
    const [condition, statusCode] = serviceErrors[error.code].amqp;
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
