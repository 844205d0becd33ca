import type { ServiceBusReceiverLike } from "./service-bus-client.js";

/** How often to check whether the link was lost, in milliseconds. */
const checkEveryMs = 250;

/** The AMQP link of a subscription; not in the SDK's types. */
interface Link {
  readonly credit: number;
  drain: boolean;
  isOpen(): boolean;
  drainCredit(): void;
  on(event: "receiver_drained", listener: () => void): unknown;
  removeListener(event: "receiver_drained", listener: () => void): unknown;
}

/**
 * Withdraws the credit of a subscription's link. Resolves when the broker has confirmed it, which it does after all messages in transit, or
 * when the link is lost. The SDK waits 200 ms and then closes the link: messages in transit would stay locked until their locks expire, and
 * settlements would lose their answers. Does nothing where the SDK does not show the link.
 */
export function drainLink(receiver: ServiceBusReceiverLike): Promise<void> {
  const link = (receiver as { readonly _streamingReceiver?: { readonly link?: Partial<Link> } })
    ._streamingReceiver?.link;
  if (!isDrainable(link) || !link.isOpen() || link.credit === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearInterval(timer);
      link.removeListener("receiver_drained", end);
      link.drain = false;
      resolve();
    };
    const timer = setInterval(() => link.isOpen() || end(), checkEveryMs).unref();
    link.on("receiver_drained", end);
    link.drainCredit();
  });
}

function isDrainable(link: Partial<Link> | undefined): link is Link {
  return (
    typeof link?.credit === "number" &&
    typeof link.isOpen === "function" &&
    typeof link.drainCredit === "function" &&
    typeof link.on === "function" &&
    typeof link.removeListener === "function"
  );
}
