import { type Broker, requireKnownOptions } from "@waybill/broker";

/** For how long to wait. */
export interface WaitOptions {
  /** In ms of real time, whatever the broker's clock shows. Default 5,000. */
  readonly timeoutInMs?: number | undefined;
}

const DEFAULT_TIMEOUT_MS = 5_000;
/** What is not the broker's, such as a handler's own counter, changes without an event. */
const POLL_MS = 10;

/** Resolves as soon as a condition holds, checked after each event of a broker. Rejects with `what` when that takes too long. */
export async function waitUntil(
  broker: Broker,
  isDone: () => boolean | Promise<boolean>,
  what: () => string,
  options: WaitOptions = {},
): Promise<void> {
  requireKnownOptions("until", options, { timeoutInMs: true });
  const { timeoutInMs = DEFAULT_TIMEOUT_MS } = options;
  const end = performance.now() + timeoutInMs;
  while (!(await isDone())) {
    if (performance.now() >= end) throw new Error(`Waited ${timeoutInMs} ms ${what()}.`);
    await nextEvent(broker);
  }
}

/** Resolves after the broker's next event, or after a moment. */
function nextEvent(broker: Broker): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer);
      stop();
      // Whoever caused the event goes first.
      setImmediate(resolve);
    };
    const stop = broker.onEvent(go);
    const timer = setTimeout(go, POLL_MS);
  });
}
