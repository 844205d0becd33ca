import { onAbort } from "./on-abort.js";

/** The work's result, unless the signal aborts first; then it rejects, and the work goes on unseen. For calls that take no signal. */
export function untilAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
  toError: () => Error,
): Promise<Result> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stopListening = onAbort(signal, () => reject(toError()));
    void work.then(resolve, reject).finally(stopListening);
  });
}
