import type { Broker } from "@waybill/broker";
import { requireKnownOptions } from "@waybill/foundation";

/** Options of waiting. */
export interface WaitOptions {
  /** In milliseconds of real time, independent of the broker's clock. Default 5,000. */
  readonly timeoutInMs?: number | undefined;
}

const defaultTimeoutMs = 5_000;
/** Values outside the broker, such as a counter in a handler, change without an event, so they are polled. */
const pollMs = 10;

/** Resolves as soon as a condition holds, checked after each event of a broker. Rejects with `what` after the timeout. */
export async function waitUntil(
  broker: Broker,
  isDone: () => boolean | Promise<boolean>,
  what: () => string,
  options: WaitOptions = {},
): Promise<void> {
  requireKnownOptions("until", options, { timeoutInMs: true });
  const { timeoutInMs = defaultTimeoutMs } = options;
  const end = performance.now() + timeoutInMs;
  while (!(await isDone())) {
    if (performance.now() >= end) throw new Error(`Waited ${timeoutInMs} ms ${what()}.`);
    await nextEvent(broker);
  }
}

/** Resolves after the broker's next event, or after `pollMs`. */
function nextEvent(broker: Broker): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer);
      stop();
      // Lets the code that caused the event continue first.
      setImmediate(resolve);
    };
    const stop = broker.onEvent(go);
    const timer = setTimeout(go, pollMs);
  });
}
