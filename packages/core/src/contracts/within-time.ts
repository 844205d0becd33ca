import { maxTimerMs, onAbort } from "@waybill/foundation";
import { WaybillError } from "../errors/error.js";

/** How long a plug-in may take. */
export interface TimeLimit {
  /** Begins the message of the error, for example `"The serializer"`. */
  readonly who: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Waits for a plug-in until `timeoutMs` have passed or the caller's signal aborts; then it rejects with `unavailable` and aborts the
 * signal of the work. Otherwise it rejects as the work does.
 */
export async function withinTime<T>(
  { who, timeoutMs, signal }: TimeLimit,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let stopWaiting: ((text: string) => void) | undefined;
  const stopped = new Promise<never>((_, reject) => {
    stopWaiting = (text) => {
      reject(new WaybillError("unavailable", text, { reason: "unavailable" }));
      controller.abort();
    };
  });
  // If the signal has aborted before the work begins, the race below does not handle this rejection.
  stopped.catch(() => {});
  const waitMs = Math.min(timeoutMs, maxTimerMs);
  const timer = setTimeout(() => stopWaiting?.(`${who} did not answer within ${waitMs} ms.`), waitMs);
  const stopListening = onAbort(signal, () =>
    stopWaiting?.(`The call was aborted while ${who.charAt(0).toLowerCase()}${who.slice(1)} was running.`),
  );
  try {
    return await Promise.race([stopped, work(controller.signal)]);
  } finally {
    clearTimeout(timer);
    stopListening();
  }
}
