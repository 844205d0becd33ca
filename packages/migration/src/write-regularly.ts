import type { Scheduler, Timer } from "@waybill/core/transport";

/** What is written again and again, so that others see that this process lives. */
export interface RegularWrites {
  write(): Promise<void>;
  /** What is written at the end. */
  writeLast(): Promise<void>;
  readonly intervalMs: number;
  /** Called when a write failed; it is retried at the next interval. */
  readonly onError: ((error: unknown) => void) | undefined;
  readonly scheduler: Scheduler;
}

/** Writes now and at intervals, until the function that it resolves with is called: that writes the last time. Rejects as the first write does. */
export async function writeRegularly(writes: RegularWrites): Promise<() => Promise<void>> {
  const { intervalMs, onError, scheduler } = writes;
  let timer: Timer;
  let writing = writes.write();
  let closing: Promise<void> | undefined;
  const writeLater = (): void => {
    timer = scheduler.schedule(intervalMs, () => {
      writing = writes
        .write()
        .catch((error: unknown) => onError?.(error))
        .then(writeLater);
    });
    timer.unref();
  };
  const close = async (): Promise<void> => {
    // A write under way sets the next timer when it ends.
    await writing;
    timer.cancel();
    await writes.writeLast();
  };
  await writing;
  writeLater();
  return () => {
    closing ??= close();
    return closing;
  };
}
