import type { DeserializationOutcome, EncodedMessage } from "@waybill/core";
import type { DeliveredMessage, TransportReceiver } from "@waybill/core/transport";
import { peekPages } from "@waybill/migration/tools";
import type { MessageFilter } from "../input/message-filter.js";
import type { ChainContext } from "./action-context.js";

/** A message, and what the chain makes of it. */
export type ReadMessage = readonly [DeliveredMessage, DeserializationOutcome];

/** What to look through. */
export interface ReadMessagesOptions {
  /** The sequence number to begin with. Default: the oldest. */
  readonly from?: bigint | undefined;
  /** How many messages to return. */
  readonly max: number;
  /** Default: every message. */
  readonly filter?: MessageFilter | undefined;
}

/** Peeks messages to the end of an entity, reads each with the chain, and returns those that the filter shows. */
export async function* readMessages(
  { pipeline, abortSignal }: Pick<ChainContext, "pipeline" | "abortSignal">,
  receiver: TransportReceiver,
  { from: fromSequenceNumber, max, filter }: ReadMessagesOptions,
): AsyncGenerator<ReadMessage> {
  let left = max;
  // Without a filter no more is fetched than is shown.
  const maxMessages = filter === undefined ? max : undefined;
  for await (const page of peekPages(receiver, { maxMessages, fromSequenceNumber, abortSignal })) {
    for (const message of page) {
      const outcome = await pipeline.deserialize(message as EncodedMessage, { abortSignal });
      if (filter?.(message, outcome) === false) continue;
      yield [message, outcome];
      if (--left === 0) return;
    }
  }
}
