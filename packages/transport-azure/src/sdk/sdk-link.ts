import type { ServiceBusReceiverLike } from "./service-bus-client.js";

interface LinkEntity {
  isOpen?(): boolean;
}

/** Where the SDK's receivers keep their link; not in their types. */
interface WithLink {
  readonly _streamingReceiver?: LinkEntity;
  readonly _batchingReceiver?: LinkEntity;
  readonly _messageSession?: LinkEntity;
}

/** Whether the link of a receiver is open; undefined if the receiver does not show it. */
export function isLinkOpen(receiver: ServiceBusReceiverLike): boolean | undefined {
  const { _streamingReceiver, _batchingReceiver, _messageSession } = receiver as WithLink;
  return (_streamingReceiver ?? _messageSession ?? _batchingReceiver)?.isOpen?.();
}
