import { WaybillError } from "../errors/error.js";
import { onAbort } from "./abort-signals.js";
import { longestTimerMs } from "./scheduler.js";

/** How long something outside may take, and who is asked. */
export interface TimeLimit {
  /** Stands at the start of the error's text, for example `"The serializer"`. */
  readonly who: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Waits for something outside, for `timeoutMs` and while the caller does. The signal it hands over aborts when nobody waits any
 * more. Rejects with `unavailable` when the time is up, and as the work does otherwise.
 */
export async function withinTime<T>(
  { who, timeoutMs, signal }: TimeLimit,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let giveUp: ((text: string) => void) | undefined;
  const given = new Promise<never>((_, reject) => {
    giveUp = (text) => {
      reject(new WaybillError("unavailable", text, { reason: "unavailable" }));
      controller.abort();
    };
  });
  // Whoever gave up before the work began is not waited for by the race below.
  given.catch(() => {});
  const waitMs = Math.min(timeoutMs, longestTimerMs);
  const timer = setTimeout(() => giveUp?.(`${who} did not answer within ${waitMs} ms.`), waitMs);
  const stopListening = onAbort(signal, () =>
    giveUp?.(`The caller gave up while ${who.charAt(0).toLowerCase()}${who.slice(1)} was at work.`),
  );
  try {
    return await Promise.race([given, work(controller.signal)]);
  } finally {
    clearTimeout(timer);
    stopListening();
  }
}
