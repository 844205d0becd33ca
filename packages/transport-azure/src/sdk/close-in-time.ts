import type { ServiceBusReceiverLike } from "./service-bus-client.js";

/** How long a link that may be dead is given to answer, in milliseconds. The SDK waits a minute. */
const timeoutMs = 5_000;

/** Closes a receiver whose link may not answer any more; resolves when it is closed or has had time enough, and never rejects. */
export function closeInTime(receiver: Pick<ServiceBusReceiverLike, "close">): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs).unref();
    receiver
      .close()
      .catch(() => {})
      .finally(() => {
        clearTimeout(timer);
        resolve();
      });
  });
}
