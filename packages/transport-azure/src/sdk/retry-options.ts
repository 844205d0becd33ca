/**
 * The recommended `retryOptions` of your `ServiceBusClient`. By default the SDK waits 30 seconds before each of 3 retries, even when
 * waiting does not help, as after a wrong key, or when a restart took a second. These options retry for about 4 seconds, and wait 15
 * seconds for an answer instead of 60, so that calls pending when a connection broke free their slots sooner.
 */
export const azureRetryOptions = Object.freeze({
  /** Retries after the first attempt. */
  maxRetries: 8,
  /** The wait before each retry, in milliseconds. */
  retryDelayInMs: 500,
  /** The maximum wait, in milliseconds. */
  maxRetryDelayInMs: 500,
  /** `RetryMode.Fixed` of the SDK. `subscribe` treats 0, the other mode, as unset and changes the client's options. */
  mode: 1,
  /** The timeout of one attempt, in milliseconds. */
  timeoutInMs: 15_000,
} as const);
