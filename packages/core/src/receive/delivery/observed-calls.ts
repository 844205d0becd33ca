import type {
  CallOptions,
  DeliveredMessage,
  TransportPeekOptions,
  TransportReceiveOptions,
} from "../../contracts/transport.js";
import type { ReceiveEvent } from "../../diagnostics/diagnostics.js";
import type { ReceiverContext } from "./receiver-context.js";

/** Receives as the transport does, and reports the call; so do the next two. */
export function receive(
  context: ReceiverContext,
  options: TransportReceiveOptions,
): Promise<DeliveredMessage[]> {
  return observed(context, "receive", () => context.receiver.receive(options));
}

export function receiveDeferred(
  context: ReceiverContext,
  sequenceNumbers: readonly bigint[],
  options?: CallOptions,
): Promise<DeliveredMessage[]> {
  return observed(context, "receiveDeferred", () =>
    context.receiver.receiveDeferred(sequenceNumbers, options),
  );
}

export function peek(context: ReceiverContext, options: TransportPeekOptions): Promise<DeliveredMessage[]> {
  return observed(context, "peek", () => context.receiver.peek(options));
}

function observed(
  { observer, entityPath }: ReceiverContext,
  type: ReceiveEvent["type"],
  work: () => Promise<DeliveredMessage[]>,
): Promise<DeliveredMessage[]> {
  return observer?.isOn ? observer.receive(type, entityPath, work) : work();
}
