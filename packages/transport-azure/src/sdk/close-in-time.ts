import type { ServiceBusReceiverLike } from "./service-bus-client.js";

/** How long a possibly dead link may take to answer, in milliseconds. The SDK would wait a minute. */
const timeoutMs = 5_000;

/** Closes a receiver whose link may be dead. Resolves when it is closed or the time is up; never rejects. */
export function closeInTime(receiver: Pick<ServiceBusReceiverLike, "close">): Promise<void> {
  return inTime(receiver.close());
}

/** Resolves when work that needs a possibly dead link has ended or the time is up; never rejects. */
export function inTime(work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs).unref();
    work
      .catch(() => {})
      .finally(() => {
        clearTimeout(timer);
        resolve();
      });
  });
}
