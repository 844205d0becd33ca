import type { ReceiveMode } from "@waybill/core/transport";
import type Long from "long";
import { fromLong } from "../messages/from-service-bus-message.js";
import type {
  ReceivedServiceBusMessage,
  ServiceBusCallOptions,
  ServiceBusReceiverLike,
  WireProperties,
} from "../sdk/service-bus-client.js";

/**
 * Receives deferred messages. The SDK ignores `skipConvertingDate` for these: dates among their application properties arrive as numbers,
 * and bytes and large integers as objects. If any are present, the message is also peeked, which returns the right types. In
 * receive-and-delete mode messages are peeked before.
 */
export async function receiveDeferred(
  receiver: ServiceBusReceiverLike,
  sequenceNumbers: Long[],
  receiveMode: ReceiveMode,
  options: ServiceBusCallOptions,
): Promise<ReceivedServiceBusMessage[]> {
  const peeked = new Map<bigint, WireProperties | undefined>();
  const peek = async (fromSequenceNumber: Long) => {
    const [message] = await receiver.peekMessages(1, { ...options, fromSequenceNumber });
    if (message?.sequenceNumber?.equals(fromSequenceNumber)) {
      peeked.set(fromLong(fromSequenceNumber), message.applicationProperties);
    }
  };
  if (receiveMode === "receiveAndDelete") await Promise.all(sequenceNumbers.map(peek));
  const messages = await receiver.receiveDeferredMessages(sequenceNumbers, options);
  const doubtful = messages.filter(({ applicationProperties }) =>
    Object.values(applicationProperties ?? {}).some(mayBeConverted),
  );
  if (receiveMode === "peekLock") {
    await Promise.all(doubtful.map(({ sequenceNumber }) => sequenceNumber && peek(sequenceNumber)));
  }
  for (const message of doubtful) {
    const { sequenceNumber } = message;
    const properties = sequenceNumber && peeked.get(fromLong(sequenceNumber));
    if (properties !== undefined) message.applicationProperties = properties;
  }
  return messages;
}

/** Whether the SDK may have converted this value. */
function mayBeConverted(value: unknown): boolean {
  return Number.isInteger(value) || (typeof value === "object" && value !== null);
}
