import { BaseRpcContext } from "@nestjs/microservices";
import {
  DeadLetterError,
  DeferError,
  type MessageContext,
  type ReceivedMessage,
  type SessionMessageContext,
  type SessionReceiver,
  type UndecodedMessage,
} from "@waybill/core";
import type { HandlerErrorOptions } from "@waybill/core/client";

/** What a handler, guard, interceptor or filter knows of a message besides its body: `@Ctx()`, or `host.switchToRpc().getContext()`. */
export class WaybillContext<Body = unknown> extends BaseRpcContext<
  [message: ReceivedMessage<Body>, inFlight: MessageContext]
> {
  #failure: unknown;

  /** The message, with its properties and the report of how its body was read. */
  get message(): ReceivedMessage<Body> {
    return this.args[0];
  }

  /** Aborts when the message can no longer be settled: its lock was lost, or the application had to stop. */
  get abortSignal(): AbortSignal {
    return this.args[1].abortSignal;
  }

  /** The receiver of the message's session, for its state; undefined for a source without `sessions`. */
  get session(): SessionReceiver<UndecodedMessage> | undefined {
    return (this.args[1] as Partial<SessionMessageContext<UndecodedMessage>>).session;
  }

  /** Ends the handler and dead-letters the message with this reason. */
  deadLetter(reason: string, description?: string, options?: HandlerErrorOptions): never {
    throw new DeadLetterError(reason, description, options);
  }

  /** Ends the handler and defers the message, which can then only be received by its sequence number. */
  defer(options?: HandlerErrorOptions): never {
    throw new DeferError(undefined, options);
  }

  /** Keeps what a handler threw: Nest replaces an error that no filter catches by an object without it. */
  keepFailure(error: unknown): void {
    this.#failure = error;
  }

  /** The error that decides how the message is settled, of what Nest's filters made of it. */
  errorOf(caught: unknown): unknown {
    if (caught instanceof Error) return caught;
    return this.#failure ?? new Error(`The handler failed with ${describe(caught)}.`);
  }
}

function describe(caught: unknown): string {
  const { message } = (caught ?? {}) as { readonly message?: unknown };
  return typeof message === "string" ? `"${message}"` : "a value that is not an error";
}
