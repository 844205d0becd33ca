import type { DeserializationOutcome, EncodedMessage } from "@waybill/core";
import type { DeserializeCallOptions } from "@waybill/core/pipeline";
import {
  type DeliveredMessage,
  type EntityAddress,
  entityPathOf,
  type TransportReceiver,
} from "@waybill/core/transport";
import type { ExplorerContext } from "../options/explorer-options.js";
import { RequestError } from "../wire/request-error.js";

/** Calls `work` with a receiver for peeking, and closes the receiver. */
export async function withReceiver<T>(
  { transport }: Pick<ExplorerContext, "transport">,
  address: EntityAddress,
  work: (receiver: TransportReceiver) => Promise<T>,
): Promise<T> {
  const receiver = transport.createReceiver(address, "peekLock");
  try {
    return await work(receiver);
  } finally {
    await receiver.close();
  }
}

/** The message of a sequence number. Rejects with `RequestError` when it is gone. */
export async function peekOne(
  context: Pick<ExplorerContext, "transport">,
  address: EntityAddress,
  sequenceNumber: bigint,
  abortSignal?: AbortSignal,
): Promise<DeliveredMessage> {
  const [message] = await withReceiver(context, address, (receiver) =>
    receiver.peek({ maxMessages: 1, fromSequenceNumber: sequenceNumber, abortSignal }),
  );
  if (message?.sequenceNumber === sequenceNumber) return message;
  throw new RequestError(404, `Message ${sequenceNumber} is no longer in ${entityPathOf(address)}.`);
}

/** Reads a message with the chain. */
export async function readMessage(
  { pipeline }: Pick<ExplorerContext, "pipeline">,
  message: DeliveredMessage,
  options: DeserializeCallOptions = {},
): Promise<DeserializationOutcome> {
  return await pipeline.deserialize(message as EncodedMessage, { ...options, isTimed: true });
}
