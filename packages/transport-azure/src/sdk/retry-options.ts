/**
 * The `retryOptions` to make your `ServiceBusClient` with. The SDK's own wait 30 seconds before each of 3 further attempts, also where
 * nothing gets better by waiting, such as after a wrong key or a restart that took a second. These try for about 4 seconds, and give up on
 * an answer after 15 seconds instead of 60, so that what was under way when a connection broke does not hold its place for a minute.
 */
export const azureRetryOptions = Object.freeze({
  /** Attempts after the first. */
  maxRetries: 8,
  /** The wait before each, in milliseconds. */
  retryDelayInMs: 500,
  /** The longest wait, in milliseconds. */
  maxRetryDelayInMs: 500,
  /** `RetryMode.Fixed` of the SDK. Its other mode, 0, is taken for none by `subscribe`, which then changes the client's options. */
  mode: 1,
  /** How long one attempt may take, in milliseconds. */
  timeoutInMs: 15_000,
} as const);
