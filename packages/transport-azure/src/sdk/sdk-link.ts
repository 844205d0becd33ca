import type { ServiceBusReceiverLike } from "./service-bus-client.js";

interface LinkEntity {
  isOpen?(): boolean;
}

/** Where the SDK's receivers keep what they receive with; not part of their types. */
interface WithLink {
  readonly _streamingReceiver?: LinkEntity;
  readonly _batchingReceiver?: LinkEntity;
  readonly _messageSession?: LinkEntity;
}

/** Whether the link of a receiver is open; undefined where it does not show one. */
export function isLinkOpen(receiver: ServiceBusReceiverLike): boolean | undefined {
  const { _streamingReceiver, _batchingReceiver, _messageSession } = receiver as WithLink;
  return (_streamingReceiver ?? _messageSession ?? _batchingReceiver)?.isOpen?.();
}
