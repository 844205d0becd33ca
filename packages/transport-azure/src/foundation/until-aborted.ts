/** The work's result, unless the signal aborts first; then it rejects, and the work goes on unseen. For calls of the SDK that take no signal. */
export function untilAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
  toError: () => Error,
): Promise<Result> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(toError());
    signal.addEventListener("abort", onAbort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
    if (signal.aborted) onAbort();
  });
}
