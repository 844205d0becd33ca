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
