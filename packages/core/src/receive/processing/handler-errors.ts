import { isNamed } from "../../errors/error.js";
import type { ApplicationProperties } from "../../message/message.js";

/** Options of the errors that a handler throws to settle its message. */
export interface HandlerErrorOptions {
  /** The underlying error. */
  readonly cause?: unknown;
  /** Application properties to add or overwrite while settling. Default: none. */
  readonly propertiesToModify?: ApplicationProperties | undefined;
}

/** Thrown by a handler to dead-letter its message with this reason. */
export class DeadLetterError extends Error {
  override readonly name = "DeadLetterError";
  /** The message's `deadLetterReason`; truncated to 4096 characters. */
  readonly reason: string;
  /** The message's `deadLetterErrorDescription`; truncated to 4096 characters. */
  readonly description: string | undefined;
  readonly propertiesToModify: ApplicationProperties | undefined;

  constructor(reason: string, description?: string, options: HandlerErrorOptions = {}) {
    super(description === undefined ? reason : `${reason}: ${description}`, causeOf(options));
    this.reason = reason;
    this.description = description;
    this.propertiesToModify = options.propertiesToModify;
  }

  /** Makes `instanceof` work across two installed copies of this package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isNamed(value, "DeadLetterError") && typeof (value as DeadLetterError).reason === "string";
  }
}

/** Thrown by a handler to defer its message, which can then only be received by its sequence number. */
export class DeferError extends Error {
  override readonly name = "DeferError";
  readonly propertiesToModify: ApplicationProperties | undefined;

  constructor(message = "The message is deferred.", options: HandlerErrorOptions = {}) {
    super(message, causeOf(options));
    this.propertiesToModify = options.propertiesToModify;
  }

  /** Makes `instanceof` work across two installed copies of this package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isNamed(value, "DeferError");
  }
}

/** The errors by which a handler settles its message. After any other error the message is abandoned, or retried. */
export type SettlingError = DeadLetterError | DeferError;

/** Their classes. */
export const settlingErrors = Object.freeze({ DeadLetterError, DeferError } satisfies {
  readonly [Name in SettlingError["name"]]: new (
    ...args: never
  ) => Extract<SettlingError, { name: Name }>;
});

/** Whether a handler threw one of them. */
export function isSettlingError(error: unknown): error is SettlingError {
  return Object.values(settlingErrors).some((type) => error instanceof type);
}

function causeOf({ cause }: HandlerErrorOptions): ErrorOptions | undefined {
  return cause === undefined ? undefined : { cause };
}
