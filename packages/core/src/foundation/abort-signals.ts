/**
 * Calls the listener once when the signal aborts, at once where it has. The function that it returns takes the listener away: a signal often
 * outlives what goes on under it.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined) return () => {};
  if (signal.aborted) listener();
  else signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

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
