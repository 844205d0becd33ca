import type { RetryOptions } from "@waybill/core";
import type { UndeserializableAction } from "@waybill/core/client";
import { requireDuration, requireInteger, requireKnownOptions } from "@waybill/core/serializer";

/** How the messages of a function are handled. */
export interface HandlerOptions {
  /** Retries messages whose handler failed, after a delay; only with the SDK binding. Default: they are abandoned and delivered again at once. */
  readonly retry?: RetryOptions | undefined;
  /** How long locks are renewed, in milliseconds; the host renews those of what it settles itself. Default: 300 000. */
  readonly maxAutoLockRenewalDurationInMs?: number | undefined;
  /** How many messages of one invocation are handled concurrently. Default: 16; 1 in a session, whose order it keeps. */
  readonly maxConcurrentCalls?: number | undefined;
  /**
   * How long an invocation keeps messages that cannot be read now, in milliseconds: their schema registry, say, is out of reach, or the client
   * can read nothing. They are read again meanwhile; then they are abandoned, which counts a delivery. Default: 30 000.
   */
  readonly holdForInMs?: number | undefined;
  /** In a session: `"block"` stops at a message that cannot be read; what follows is delivered again with it. Default: `"deadLetter"`. */
  readonly undeserializableAction?: UndeserializableAction | undefined;
}

/** The defaults of {@link HandlerOptions}. */
const defaultHandlerOptions = Object.freeze({
  retry: undefined,
  maxAutoLockRenewalDurationInMs: 300_000,
  maxConcurrentCalls: undefined,
  holdForInMs: 30_000,
  undeserializableAction: "deadLetter",
} as const);

/** The default of `maxConcurrentCalls`, that of the host's `maxConcurrentCalls`. */
export const defaultConcurrency = 16;

/** {@link HandlerOptions} with the defaults that do not depend on the trigger. */
export interface ResolvedHandlerOptions extends HandlerOptions {
  readonly holdForInMs: number;
}

/** Checks the options and fills in the defaults. Throws `TypeError`; the client checks what it is given. */
export function resolveHandlerOptions(options: HandlerOptions): ResolvedHandlerOptions {
  requireKnownOptions("The options of the handlers", options, defaultHandlerOptions);
  const { holdForInMs = defaultHandlerOptions.holdForInMs, maxConcurrentCalls } = options;
  requireDuration("holdForInMs", holdForInMs, 0);
  if (maxConcurrentCalls !== undefined) requireInteger("maxConcurrentCalls", maxConcurrentCalls, 1);
  return { ...defaultHandlerOptions, ...options, holdForInMs };
}
