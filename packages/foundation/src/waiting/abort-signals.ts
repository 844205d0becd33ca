/**
 * Calls the listener once when the signal aborts, immediately if already aborted. Call the returned function to remove the listener, so
 * that long-lived signals do not collect listeners.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined) return () => {};
  if (signal.aborted) listener();
  else signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

/** The result of a call that takes no signal. Rejects when the signal aborts first; the work continues and its result is ignored. */
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
