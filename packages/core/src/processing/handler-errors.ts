import type { ApplicationProperties } from "../message/message.js";

/** What else goes with the settlement that a handler's error asks for. */
export interface HandlerErrorOptions {
  /** The error beneath this one. */
  readonly cause?: unknown;
  /** Application properties to add to the message or overwrite in it. */
  readonly propertiesToModify?: ApplicationProperties | undefined;
}

/** Thrown by a handler: its message belongs in the dead-letter queue, at once and with this reason. */
export class DeadLetterError extends Error {
  override readonly name = "DeadLetterError";
  /** The message's `deadLetterReason`; cut after 4096 characters. */
  readonly reason: string;
  /** The message's `deadLetterErrorDescription`; cut after 4096 characters. */
  readonly description: string | undefined;
  readonly propertiesToModify: ApplicationProperties | undefined;

  constructor(reason: string, description?: string, options: HandlerErrorOptions = {}) {
    super(description === undefined ? reason : `${reason}: ${description}`, causeOf(options));
    this.reason = reason;
    this.description = description;
    this.propertiesToModify = options.propertiesToModify;
  }

  /** Holds across two installed copies of this package, which plain `instanceof` would not. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isNamed(value, "DeadLetterError") && typeof (value as DeadLetterError).reason === "string";
  }
}

/** Thrown by a handler: its message is to be set aside until somebody asks for its sequence number. */
export class DeferError extends Error {
  override readonly name = "DeferError";
  readonly propertiesToModify: ApplicationProperties | undefined;

  constructor(message = "The message is deferred.", options: HandlerErrorOptions = {}) {
    super(message, causeOf(options));
    this.propertiesToModify = options.propertiesToModify;
  }

  /** Holds across two installed copies of this package, which plain `instanceof` would not. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isNamed(value, "DeferError");
  }
}

function causeOf({ cause }: HandlerErrorOptions): ErrorOptions | undefined {
  return cause === undefined ? undefined : { cause };
}

function isNamed(value: unknown, name: string): value is Error {
  return (
    value instanceof Object &&
    Object.prototype.isPrototypeOf.call(Error.prototype, value) &&
    (value as Error).name === name
  );
}
