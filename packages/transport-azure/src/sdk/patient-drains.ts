import type { ServiceBusReceiverLike } from "./service-bus-client.js";

/** How long the broker may take to confirm that a link is drained, in milliseconds. The SDK waits 200 ms. */
const drainTimeoutInMs = 5_000;

/** What receives for `receiveMessages`; not in the SDK's types. */
interface Batching {
  readonly _batchingReceiverLite?: { _drainTimeoutInMs?: unknown };
}

/**
 * Lets `receiveMessages` wait for a broker, a network or a process that is busy. Where draining takes longer than the SDK waits, it closes
 * the link: messages in transit stay locked until their locks expire, settlements lose their answers, and a session is lost. Does nothing
 * where the SDK does not show its wait. To be called after the first call too, which creates what receives.
 */
export function waitForDrains(receiver: ServiceBusReceiverLike): void {
  const { _batchingReceiver, _messageSession } = receiver as {
    readonly _batchingReceiver?: Batching;
    readonly _messageSession?: Batching;
  };
  const lite = (_batchingReceiver ?? _messageSession)?._batchingReceiverLite;
  if (typeof lite?._drainTimeoutInMs === "number") lite._drainTimeoutInMs = drainTimeoutInMs;
}
