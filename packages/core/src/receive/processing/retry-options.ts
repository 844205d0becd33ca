import { durationMs, type Resolved, requireInteger, withDefaults } from "@waybill/foundation";

/**
 * After a delay, retries a message whose handler failed: a copy is scheduled, then the message is completed. A crash between the two steps
 * may deliver a message twice, but loses none.
 */
export interface RetryOptions {
  /** The delay in milliseconds, or a function of the number of the retry, from 1, and the handler's error. 0 abandons the message instead. */
  readonly delayInMs: number | ((retry: number, error: unknown) => number);
  /** Maximum number of retries; then the message is dead-lettered with the reason `RetriesExhausted`. Default: 10. */
  readonly maxRetries?: number | undefined;
}

/** {@link RetryOptions} with the default filled in. */
export type ResolvedRetryOptions = Resolved<RetryOptions>;

const defaults = Object.freeze({ delayInMs: undefined, maxRetries: 10 });

/** Checks the options and fills in the default. Throws `TypeError`. */
export function resolveRetryOptions(options: RetryOptions): ResolvedRetryOptions {
  const resolved = withDefaults("retry", options, defaults);
  const { delayInMs, maxRetries } = resolved;
  if (typeof delayInMs !== "function") durationMs("retry.delayInMs", delayInMs, 0);
  requireInteger("retry.maxRetries", maxRetries, 0);
  return resolved;
}
